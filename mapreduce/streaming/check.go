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

// CheckCommands returns an error if a command is blank or is a Java class, so that the job fails
// before its tasks start. If here is true, the tasks run on this machine, and CheckCommands also
// returns an error if a program is missing or not executable.
func (o *Options) CheckCommands(c *conf.Config, here bool) error {
	for _, key := range []string{conf.StreamMapStreamProcessor.Name, conf.StreamCombineStreamProcessor.Name,
		conf.StreamReduceStreamProcessor.Name} {
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

// javaClass matches the fully qualified name of a class.
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
		return nil // the task makes the file executable
	}
	if javaClass().MatchString(command) {
		return failure.New(failure.Usage, "find command", command, errors.New("howdah does not run Java "+
			"classes")).
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

// shipped returns the names that the files and archives of the distributed cache have in a task's
// working directory.
func shipped(c *conf.Config) []string {
	var names []string
	for _, key := range []string{"tmpfiles", "tmparchives", conf.JobCacheFiles.Name, conf.JobCacheArchives.Name} {
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
