package fs

import "strings"

func printUsages(s *shell) {
	s.printf("Usage: hadoop fs [generic options]\n")
	for _, c := range commands() {
		if c.deprecated != "" {
			continue
		}
		for _, n := range c.names {
			s.printf("\t[%s]\n", c.line(n))
		}
	}
	s.printf("\nGeneric options, before the command:\n" +
		"-conf FILE       a further configuration file\n" +
		"-D KEY=VALUE     a setting\n" +
		"-fs URI          the file system of paths without scheme\n")
}

func usage(s *shell, _ options, args []string) error {
	if len(args) == 0 {
		printUsages(s)
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
	for _, c := range commands() {
		if c.deprecated == "" {
			s.printf("\n")
			explain(c, c.names[0])
		}
	}
	return nil
}

// named calls do for each command that is named, with or without its dash.
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
