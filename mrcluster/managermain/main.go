// Package managermain builds a manager of MR-clusters that offers a program's own weighting policies
// in addition to the built-in ones:
//
//	func main() { managermain.Main(weight.Entry{Name: "oldest", New: newOldest}) }
//
// The command "./program mrcluster manager" starts the manager, and howdah.mrcluster.weights selects a
// policy. The manager's nodes run howdah, which must be in the program's directory. Package
// mrcluster/weighttest tests a policy.
package managermain

import (
	"context"
	"flag"
	"io"
	"os"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/inspect"
	"github.com/howdah/howdah/internal/program"
	"github.com/howdah/howdah/internal/runner"
	"github.com/howdah/howdah/internal/serve"
	"github.com/howdah/howdah/mrcluster/weight"
)

// Main runs the command in the program's arguments and exits.
func Main(own ...weight.Entry) {
	os.Exit(runner.Main(func(ctx context.Context) error { return Run(ctx, os.Args[1:], os.Stdout, os.Stderr, own...) }))
}

const usage = "mrcluster manager [generic options] [--pid-file FILE]"

// Run does the same as Main but returns. A manager serves until ctx ends.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer, own ...weight.Entry) error {
	flags := flag.NewFlagSet("manager", flag.ContinueOnError)
	pid := flags.String("pid-file", "", "file for the process ID")
	options, err := serve.Arguments(args, "manager", "mrcluster manager", usage, flags)
	if err != nil {
		return err
	}
	c, err := options.Load()
	if err != nil {
		return err
	}
	program, err := howdah(c)
	if err != nil {
		return err
	}
	return serve.Manager{Conf: c, Weights: own, Program: program, AgentArgs: options.Args(), PIDFile: *pid,
		Log: inspect.NewLog(stderr), Ready: stdout}.Run(ctx)
}

// howdah returns the path of the howdah executable, which the nodes need.
func howdah(c *conf.Config) (string, error) {
	if n, err := conf.MRClusterNodes.Get(c); err == nil && n == 0 {
		return "", nil // the agents of the nodes start without this manager
	}
	return program.Beside("howdah", "put howdah into the program's directory")
}
