package cli

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/job/failure"
)

// jarCommand is `hadoop jar`, for the jars whose programs are built in.
func (s *session) jarCommand() *urfave.Command {
	return &urfave.Command{
		Name: "jar", Usage: "run Hadoop's examples or Streaming by the names of their jars, as hadoop jar does",
		ArgsUsage:       "X-examples.jar APP ARGS... | X-streaming.jar OPTIONS...",
		Description:     "Nothing of the jar is read: its name chooses howdah run or howdah streaming.",
		SkipFlagParsing: true, HideHelpCommand: true,
		Action: s.jar,
	}
}

// isJar tells a jar by a part of its name; its version does not matter.
func isJar(name string, parts ...string) bool {
	return strings.HasSuffix(name, ".jar") && slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(name, p) })
}

// testPrograms are programs of Hadoop's test jar that are called something else here.
var testPrograms = map[string]string{"TestDFSIO": "dfsio"}

// noProgram is the exit code of Hadoop's examples without a program, or with one that there is not.
const noProgram = 255

func (s *session) jar(c *urfave.Context) error {
	args := c.Args().Slice()
	if len(args) == 0 {
		return usageError("name a jar: howdah jar X-examples.jar APP ARGS... or howdah jar X-streaming.jar OPTIONS")
	}
	jar, args := args[0], args[1:]
	name := filepath.Base(jar)
	switch {
	case isJar(name, "streaming"):
		if len(args) > 0 && strings.HasSuffix(args[0], "HadoopStreaming") {
			args = args[1:] // the class, for those who name it
		}
		return s.streaming(c.Context, args)
	case !isJar(name, "examples") && !(strings.HasPrefix(name, "hadoop-") && isJar(name, "jobclient", "test")):
		return failure.New(failure.Usage, "run", jar, errors.New("Java programs do not run here")).
			Fix("run it on a Hadoop cluster; write its mapper and reducer in any language for howdah streaming; or in Go, which -D mapreduce.framework.name=yarn " +
				"takes to that same Hadoop cluster")
	}
	if len(args) > 0 && strings.HasSuffix(args[0], "ExampleDriver") {
		args = args[1:]
	}
	if len(args) == 0 {
		err := s.listApplications()
		if err == nil && s.program != "" {
			return silent{noProgram}
		}
		return err
	}
	app := args[0]
	if ours := testPrograms[app]; ours != "" {
		app = ours
	}
	a := application(app)
	if a == nil {
		err := unknownApplication(app)
		if s.program != "" {
			s.report(err)
			return silent{noProgram}
		}
		return err
	}
	args, err := s.takeGeneric(args[1:])
	if err != nil {
		return err
	}
	return s.runApplication(c, a, args)
}
