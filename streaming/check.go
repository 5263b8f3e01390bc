package streaming

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// CheckCommands refuses, before anything starts, commands that cannot run: no program at all, a Java class, or, where the tasks
// run on this machine, a program that is missing or not executable. Elsewhere only the nodes know.
func (o *Options) CheckCommands(c *conf.Config, here bool) error {
	for _, key := range []string{keyMapCommand, keyCombineCommand, keyReduceCommand} {
		command, err := commandOf(c, key)
		if err != nil {
			return err
		}
		if command == "" {
			continue
		}
		if err := checkCommand(command, shipped(c), here); err != nil {
			return err
		}
	}
	return nil
}

// javaClass looks like the full name of a class.
var javaClass = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z]\w*(\.[a-z]\w*)*\.[A-Z][\w$]*$`)
})

func checkCommand(command string, shipped []string, here bool) error {
	words := splitCommand(command)
	if len(words) == 0 {
		return usage("a command is blank")
	}
	program := words[0]
	first, _, _ := strings.Cut(path.Clean(program), "/")
	if !filepath.IsAbs(program) && slices.Contains(shipped, first) {
		return nil // it is made executable where it arrives
	}
	if javaClass().MatchString(command) {
		return failure.New(failure.Usage, "find command", command, errors.New("Java classes do not run here")).
			Fix("use a program, or one of " + strings.Join(append(slices.Clone(mapperNames), reducerNames...), ", "))
	}
	if !here {
		return nil
	}
	cwd, err := os.Getwd()
	if err != nil {
		return failure.New(failure.IO, "find working directory", "", err)
	}
	_, err = findProgram(program, "", cwd)
	return err
}

// shipped lists the names under which tasks find files and archives of the distributed cache.
func shipped(c *conf.Config) []string {
	var names []string
	for _, key := range []string{"tmpfiles", "tmparchives", "mapreduce.job.cache.files", "mapreduce.job.cache.archives"} {
		for _, uri := range c.Strings(key) {
			name, link, _ := strings.Cut(uri, "#")
			if link == "" {
				link = path.Base(name)
			}
			names = append(names, link)
		}
	}
	return names
}
