// Package tasktrackermain builds a TaskTracker that offers a program's own estimators of
// MROrchestrator in addition to the built-in ones:
//
//	func main() { tasktrackermain.Main(orchestrator.Entry{Name: "peak", Estimate: peak}) }
//
// The command "./program tasktracker" starts the TaskTracker, and howdah.orchestrator.estimator.own
// selects the estimator. The TaskTracker works with a standard JobTracker and runs jobs of any
// program. howdah must be in the program's directory, because clients do not ship the JobTracker's
// own program with their jobs.
package tasktrackermain

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/inspect"
	"github.com/howdah/howdah/internal/program"
	"github.com/howdah/howdah/internal/runner"
	"github.com/howdah/howdah/internal/serve"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/orchestrator"
)

// Main runs the command in the program's arguments and exits.
func Main(own ...orchestrator.Entry) {
	os.Exit(runner.Main(func(ctx context.Context) error { return Run(ctx, os.Args[1:], os.Stderr, own...) }))
}

const usage = "tasktracker [generic options] [--join HOST:PORT] [--pid-file FILE]"

// Run does the same as Main but returns. A TaskTracker serves until ctx ends.
func Run(ctx context.Context, args []string, stderr io.Writer, own ...orchestrator.Entry) error {
	bad := func(err error) error {
		return failure.New(failure.Usage, "start TaskTracker", "", err).Fix(filepath.Base(os.Args[0]) + " " + usage)
	}
	before, rest, err := conf.ParseGeneric(args)
	if err != nil {
		return err
	}
	if len(rest) == 0 || rest[0] != "tasktracker" {
		return bad(errors.New("want the command tasktracker"))
	}
	after, rest, err := conf.ParseGeneric(rest[1:])
	if err != nil {
		return err
	}
	flags := flag.NewFlagSet("tasktracker", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	pid := flags.String("pid-file", "", "file for the process ID")
	var join []string
	flags.Func("join", "gossip member through which the TaskTracker finds the JobTracker", func(s string) error {
		join = append(join, s)
		return nil
	})
	if err := flags.Parse(rest); err != nil {
		return bad(err)
	}
	if flags.NArg() > 0 {
		return bad(fmt.Errorf("unexpected argument %q", flags.Arg(0)))
	}
	c, err := before.And(after).Load()
	if err != nil {
		return err
	}
	howdah, err := program.Beside("howdah", "put howdah into the program's directory")
	if err != nil {
		return err
	}
	jobs, err := program.Of(howdah)
	if err != nil {
		return err
	}
	return serve.TaskTracker{Conf: c, Join: join, Estimators: own, Program: jobs, PIDFile: *pid,
		Log: inspect.NewLog(stderr)}.Run(ctx)
}
