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
	"flag"
	"io"
	"os"

	"github.com/howdah/howdah/internal/inspect"
	"github.com/howdah/howdah/internal/program"
	"github.com/howdah/howdah/internal/runner"
	"github.com/howdah/howdah/internal/serve"
	"github.com/howdah/howdah/orchestrator"
)

// Main runs the command in the program's arguments and exits.
func Main(own ...orchestrator.Entry) {
	os.Exit(runner.Main(func(ctx context.Context) error { return Run(ctx, os.Args[1:], os.Stderr, own...) }))
}

const usage = "tasktracker [generic options] [--join HOST:PORT] [--pid-file FILE]"

// Run does the same as Main but returns. A TaskTracker serves until ctx ends.
func Run(ctx context.Context, args []string, stderr io.Writer, own ...orchestrator.Entry) error {
	flags := flag.NewFlagSet("tasktracker", flag.ContinueOnError)
	pid := flags.String("pid-file", "", "file for the process ID")
	var join []string
	flags.Func("join", "gossip member through which the TaskTracker finds the JobTracker", func(s string) error {
		join = append(join, s)
		return nil
	})
	options, err := serve.Arguments(args, "TaskTracker", "tasktracker", usage, flags)
	if err != nil {
		return err
	}
	c, err := options.Load()
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
