package cli

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/internal/arguments"
	"github.com/howdah/howdah/internal/runner"
	"github.com/howdah/howdah/job/failure"
)

// jarCommand returns the counterpart of `hadoop jar`. It accepts those jars of Hadoop whose
// programs howdah also has.
func (s *session) jarCommand() *urfave.Command {
	return &urfave.Command{
		Name: "jar", Usage: "run the applications of Hadoop's examples and Streaming jars, like hadoop jar",
		ArgsUsage: "X-examples.jar APP ARGS... | X-streaming.jar OPTIONS...",
		Description: "The jar's name selects howdah run or howdah streaming. The jar itself is not " +
			"read.",
		SkipFlagParsing: true, HideHelpCommand: true,
		Action: s.jar,
	}
}

// isJar reports whether name ends in .jar and contains one of parts. It ignores the jar's version.
func isJar(name string, parts ...string) bool {
	return strings.HasSuffix(name, ".jar") &&
		slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(name, p) })
}

// testPrograms maps programs of Hadoop's test jar to applications with other names.
var testPrograms = map[string]string{"TestDFSIO": "dfsio"}

// noProgram is the exit code of Hadoop's examples if the program is missing or unknown.
const noProgram = 255

func (s *session) jar(c *urfave.Context) error {
	args := c.Args().Slice()
	if len(args) == 0 {
		return usageError("name a jar: howdah jar X-examples.jar APP ARGS... or howdah jar X-streaming.jar OPTIONS")
	}
	if arguments.AsksForHelp(args[0]) {
		return urfave.ShowCommandHelp(c, "jar")
	}
	jar, args := args[0], args[1:]
	name := filepath.Base(jar)
	switch {
	case isJar(name, "streaming"):
		if len(args) > 0 && strings.HasSuffix(args[0], "HadoopStreaming") {
			args = args[1:] // skips the class name, if present
		}
		return s.streaming(c.Context, args)
	case !isJar(name, "examples") && !(strings.HasPrefix(name, "hadoop-") && isJar(name, "jobclient", "test")):
		return failure.New(failure.Usage, "run", jar, errors.New("howdah does not run Java programs")).
			Fix("run it on a Hadoop cluster, or rewrite its mapper and reducer in Go or for howdah " +
				"streaming (-D mapreduce.framework.name=yarn runs both on a Hadoop cluster)")
	}
	if len(args) > 0 && strings.HasSuffix(args[0], "ExampleDriver") {
		args = args[1:]
	}
	if len(args) == 0 || runner.AsksForHelp(args[:1]) {
		err := s.listApplications()
		if err == nil && s.program != "" && len(args) == 0 {
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
	return s.start(c, a, args[1:])
}
