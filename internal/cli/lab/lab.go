// Package lab implements the laboratory's commands, which are howdah sim, howdah experiment, and
// howdah scenario. A separate binary contains this package, because the packages for SQL, plots, and
// statistics that it imports would slow down the start of every task's child process.
package lab

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments"
	"github.com/howdah/howdah/experiments/scenario"
	"github.com/howdah/howdah/internal/arguments"
	"github.com/howdah/howdah/job/failure"
)

// session is one invocation of the command line.
type session struct {
	out, err io.Writer
	generic  conf.GenericOptions
	code     int            // exit code of a command that returned no error
	parts    scenario.Parts // that the program adds to howdah's
}

// Main runs the command in args, which excludes the program's own name, and returns the exit code
// (failure.Kind.ExitCode). parts are the program's own schedulers, weights, and workloads.
func Main(args []string, parts scenario.Parts) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	saveMemory(largeHeap)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process immediately
	return (&session{out: os.Stdout, err: os.Stderr, parts: parts}).run(ctx, args)
}

func (s *session) run(ctx context.Context, args []string) int {
	app := s.app()
	if arguments.Completes(args) {
		arguments.Complete(s.out, app.Commands, args[:len(args)-1], s.values)
		return 0
	}
	a := arguments.Arranger{}
	args, err := a.Arrange(app.Commands, args)
	s.generic = a.Generic
	if err == nil {
		err = app.RunContext(ctx, append([]string{app.Name}, args...))
	}
	if err == nil {
		return s.code
	}
	if ctx.Err() != nil {
		err = failure.New(failure.Interrupted, "howdah "+strings.Join(args[:min(2, len(args))], " "), "", context.Cause(ctx))
	}
	fmt.Fprintf(s.err, "howdah: %v\n", err)
	return failure.KindOf(err).ExitCode()
}

// App returns the laboratory's commands, for documents that are generated from them.
func App() *urfave.App { return (&session{out: io.Discard, err: io.Discard}).app() }

func (s *session) app() *urfave.App {
	a := &urfave.App{
		Name: "howdah", Usage: "simulate workloads, reproduce experiments", HideVersion: true, HideHelpCommand: true,
		Writer: s.out, ErrWriter: s.err,
		ExitErrHandler: func(*urfave.Context, error) {}, // run prints errors
		Action: func(c *urfave.Context) error {
			if c.Args().Len() == 0 {
				return urfave.ShowAppHelp(c)
			}
			return arguments.Unknown("command", c.Args().First(), arguments.Names(c.App.Commands, ""), "howdah help")
		},
		Commands: []*urfave.Command{s.simCommand(), s.experimentCommand(), s.scenarioCommand(), s.serveCommand()},
	}
	a.OnUsageError = func(_ *urfave.Context, err error, _ bool) error { return usageError("howdah: %w", err) }
	arguments.TellUsageErrors("howdah", a.Commands)
	return a
}

// values returns the possible values of a command's next argument; see arguments.Values.
func (s *session) values(command string, args []string, _ string) (list []string) {
	switch {
	case command == "experiment run":
		list = []string{"all"}
		for _, e := range experiments.All() {
			list = append(list, e.ID+"\t"+e.Paper)
		}
	case len(args) == 0 && (command == "scenario run" || command == "scenario show" || command == "scenario check"):
		return scenario.ShippedNames()
	case strings.HasSuffix(command, " --scheduler"):
		if table, err := s.parts.Table(); err == nil {
			return table.Names()
		}
	}
	return list
}

func usageError(format string, args ...any) error {
	return failure.New(failure.Usage, "usage", "", fmt.Errorf(format, args...))
}

// config loads the configuration that the generic options specify, and prints its warnings.
func (s *session) config() (*conf.Config, error) {
	c, err := s.generic.Load()
	if err != nil {
		return nil, err
	}
	for _, w := range c.Warnings() {
		fmt.Fprintln(s.err, "warning:", w)
	}
	return c, nil
}
