package fs

import (
	"bufio"
	"slices"
	"strings"
)

// usages prints all commands to standard error, as Hadoop does after an invalid command line.
func (s *shell) usages() {
	s.out.Flush()
	out := s.out
	s.out = bufio.NewWriter(s.err)
	printUsages(s)
	s.printf("%s", genericOptions)
	s.out.Flush()
	s.out = out
}

func printUsages(s *shell) {
	s.printf("Usage: hadoop fs [generic options]\n")
	for _, line := range Lines() {
		s.printf("\t[%s]\n", line)
	}
}

// Lines returns the commands with their options and arguments, such as "-cat [-ignoreCrc] <src>
// ...".
func Lines() (lines []string) {
	for _, c := range commands() {
		if c.deprecated != "" {
			continue
		}
		for _, n := range c.names {
			lines = append(lines, c.line(n))
		}
	}
	slices.Sort(lines)
	return lines
}

// Verbs returns the names of all commands with their dashes.
func Verbs() (verbs []string) {
	for _, n := range names() {
		verbs = append(verbs, "-"+n)
	}
	return verbs
}

// names returns the names of all commands that are not deprecated.
func names() []string {
	var all []string
	for _, c := range commands() {
		if c.deprecated == "" {
			all = append(all, c.names...)
		}
	}
	slices.Sort(all)
	return all
}

const genericOptions = `
Generic options supported are:
-conf <configuration file>        specify an application configuration file
-D <property=value>               define a value for a given property
-fs <file:///|hdfs://namenode:port> specify default filesystem URL to use, overrides 'fs.defaultFS' property from ` +
	`configurations.
-jt <local|resourcemanager:port>  specify a ResourceManager
-files <file1,...>                specify a comma-separated list of files to be copied to the map reduce cluster
-libjars <jar1,...>               specify a comma-separated list of jar files to be included in the classpath
-archives <archive1,...>          specify a comma-separated list of archives to be unarchived on the compute machines

The general command line syntax is:
command [genericOptions] [commandOptions]

`

func usage(s *shell, _ options, args []string) error {
	if len(args) == 0 {
		printUsages(s)
		s.printf("%s", genericOptions)
		return nil
	}
	return named(args, func(c *command, name string) {
		s.printf("Usage: hadoop fs [generic options] %s\n", c.line(name))
	})
}

func help(s *shell, _ options, args []string) error {
	explain := func(c *command, name string) {
		s.printf("%s :\n", c.line(name))
		for line := range strings.SplitSeq(c.help, "\n") {
			s.printf("  %s\n", line)
		}
	}
	if len(args) > 0 {
		return named(args, explain)
	}
	printUsages(s)
	for _, n := range names() {
		s.printf("\n")
		explain(find(n), n)
	}
	s.printf("%s", genericOptions)
	return nil
}

// named calls do for each command whose name is in args. The names may have a leading dash.
func named(args []string, do func(*command, string)) error {
	for _, a := range args {
		name := strings.TrimPrefix(a, "-")
		c := find(name)
		if c == nil {
			return usagef("`%s': Unknown command", a)
		}
		do(c, name)
	}
	return nil
}
