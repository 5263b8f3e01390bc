// Package howdah makes a Go program with MapReduce jobs complete:
//
//	func main() { howdah.Main(wordcount) }
//
// is a client that submits the job to a cluster, a runner that runs it in this process when there is none, and the child that
// a TaskTracker starts for each task. ./wordcount IN OUT works alone; HOWDAH_CONF_DIR or -jt HOST:PORT makes it run on a
// cluster.
package howdah

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/schemes"
	"github.com/howdah/howdah/internal/runner"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mrcluster/client"
	"github.com/howdah/howdah/task/child"
	"github.com/howdah/howdah/task/piped"
)

// Main runs the program and exits. Its arguments are generic options (-conf FILE, -D key=value, -fs URI, -jt local|HOST:PORT,
// --mrcluster NAME, --config DIR), the name of a program if there are several (generic options may follow it, too), and the program's own
// arguments. Results go to standard output, everything else to standard error; the exit code follows the error
// (failure.Kind.ExitCode).
func Main(programs ...mapreduce.Program) {
	if code, ok := Child(programs...); ok {
		os.Exit(code)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	err := run(ctx, programs, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		if !runner.Told(err) {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(failure.KindOf(err).ExitCode())
	}
}

// Child serves as a TaskTracker's child, or as an attempt on YARN, if the process was started as one, and gives the exit code
// then. A program that does not use Main calls it first thing.
func Child(programs ...mapreduce.Program) (code int, ok bool) {
	jobs := func(name string) *mapreduce.Job { return find(programs, name) }
	fs := func(c *conf.Config) (dfs.Resolver, error) { return schemes.Resolver(c, schemes.Warn(os.Stderr)) }
	switch {
	case child.Wanted():
		return child.Main(child.Config{Jobs: jobs, FS: fs}), true
	case piped.Wanted():
		return piped.Main(piped.Config{Jobs: jobs, FS: fs}), true
	}
	return 0, false
}

// find gives the job of a name among all that the programs may submit.
func find(programs []mapreduce.Program, name string) *mapreduce.Job {
	for _, p := range programs {
		for _, j := range p.App().Jobs {
			if j.Name == name {
				return j
			}
		}
	}
	return nil
}

func run(ctx context.Context, programs []mapreduce.Program, args []string, out, errOut io.Writer) error {
	options, args, err := conf.ParseGeneric(args)
	if err != nil {
		return err
	}
	policies, programs := policiesOf(programs)
	if rest, ok := wantsJobTracker(policies, args); ok {
		more, rest, err := conf.ParseGeneric(rest)
		if err != nil {
			return err
		}
		return runJobTracker(ctx, policies, options.And(more), rest, out, errOut)
	}
	if len(programs) == 0 && len(policies) > 0 {
		return explain(policies, args, out)
	}
	app, args, err := choose(programs, args)
	if err != nil {
		return err
	}
	// Behind the program's name is where Hadoop's users write them.
	more, args, err := conf.ParseGeneric(args)
	if err != nil {
		return err
	}
	c, err := options.And(more).Load()
	if err != nil {
		return err
	}
	for _, w := range c.Warnings() {
		fmt.Fprintln(errOut, "warning:", w)
	}
	display := runner.DisplayOfEnvironment()
	return client.Run(ctx, c, display.Log(errOut), runner.Unsent, func(ctx context.Context, _ *client.InUse) error {
		fs, err := schemes.Resolver(c, schemes.Warn(errOut))
		if err != nil {
			return err
		}
		defer fs.Close()
		return display.Run(ctx, app, args, c, fs, out, errOut)
	})
}

// choose finds the program to run: the only one, or the one that the first argument names.
func choose(programs []mapreduce.Program, args []string) (*mapreduce.App, []string, error) {
	if len(programs) == 1 {
		return programs[0].App(), args, nil
	}
	var list strings.Builder
	for _, p := range programs {
		app := p.App()
		if len(args) > 0 && app.Name == args[0] {
			return app, args[1:], nil
		}
		fmt.Fprintf(&list, "\n  %-16s %s", app.Name, app.Short)
	}
	why := errors.New("name a program")
	if len(args) > 0 {
		why = fmt.Errorf("there is no program %q", args[0])
	}
	return nil, nil, failure.New(failure.Usage, "run", "", why).Fix("choose one of:" + list.String())
}
