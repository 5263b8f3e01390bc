// Package howdah turns MapReduce jobs into a complete program:
//
//	func main() { howdah.Main(wordcount) }
//
// The program is the client that submits the job to a cluster. It is also the child process that a
// TaskTracker starts for a task. Without a cluster it runs the job in its own process, so that
// ./wordcount IN OUT works without any setup. Set HOWDAH_CONF_DIR or pass -jt HOST:PORT to run the
// job on a cluster.
package howdah

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

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

// Main runs the program and exits. The arguments are generic options (see conf.ParseGeneric), the
// name of a program if there are several, and the program's own arguments. Generic options may also
// follow the program's name. The argument -h prints help. Main writes results to standard output
// and all other messages to standard error. The exit code depends on the error
// (failure.Kind.ExitCode).
func Main(programs ...mapreduce.Program) {
	if code, ok := Child(programs...); ok {
		os.Exit(code)
	}
	os.Exit(runner.Main(func(ctx context.Context) error {
		return Run(ctx, os.Args[1:], os.Stdout, os.Stderr, programs...)
	}))
}

// Run is like Main but returns an error instead of exiting. Cancel ctx to interrupt the program. A
// program that calls Run must call Child first, because TaskTrackers start the same program for its
// tasks.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer, programs ...mapreduce.Program) error {
	options, args, err := conf.ParseGeneric(args)
	if err != nil {
		return err
	}
	if len(programs) != 1 && runner.AsksForHelp(args) {
		return help(stdout, programs, nil)
	}
	program, args, err := choose(programs, args)
	if err != nil {
		return err
	}
	// Hadoop also accepts generic options after the program's name.
	more, args, err := conf.ParseGeneric(args)
	if err != nil {
		return err
	}
	app := program.App()
	// An application with a driver of its own explains its own options.
	if j, ok := program.(*mapreduce.Job); ok && runner.AsksForHelp(args) {
		return help(stdout, programs, j)
	}
	c, err := options.And(more).Load()
	if err != nil {
		return err
	}
	for _, w := range c.Warnings() {
		fmt.Fprintln(stderr, "warning:", w)
	}
	display := runner.DisplayOfEnvironment()
	return client.Run(ctx, c, display.Log(stderr), runner.Unsent, func(ctx context.Context, _ *client.InUse) error {
		fs, err := schemes.Resolver(c, schemes.Warn(stderr))
		if err != nil {
			return err
		}
		defer fs.Close()
		return display.Run(ctx, app, args, c, fs, stdout, stderr)
	})
}

// Child runs tasks if a TaskTracker or YARN started this process for that purpose. It then returns
// the exit code and true. Otherwise it returns false, and the caller continues as a client. A
// program that does not use Main must call Child first.
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

// WithFileSystem adds a file system to the program: paths SCHEME://AUTHORITY/PATH refer to it. Call it
// at the start of main, before Main or Child, so that the clients and the tasks of the program know
// the scheme. The daemons of a cluster must know it as well, because the JobTracker publishes the
// output of jobs. Package howdahmain builds a howdah command that contains them.
//
// open creates the file system for an authority, such as host:port, when a path on it is first used.
// It should not connect to anything, because task processes must start in milliseconds. If the file
// system implements dfs.Impersonator, a daemon uses it with the permissions of each job's user. If it
// implements io.Closer, howdah closes it at the end. WithFileSystem panics if scheme is not made of
// lower-case letters and digits, or if the program already has it.
func WithFileSystem(scheme string, open func(c *conf.Config, authority string) (dfs.FileSystem, error)) {
	if err := schemes.Add(scheme, open); err != nil {
		panic(err)
	}
}

// find returns the job with the given name from any of the programs, or nil.
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

// choose returns the program to run and its arguments. If there are several programs, the first
// argument names the program.
func choose(programs []mapreduce.Program, args []string) (mapreduce.Program, []string, error) {
	if len(programs) == 1 {
		return programs[0], args, nil
	}
	why := errors.New("name a program")
	if len(args) > 0 {
		for _, p := range programs {
			if p.App().Name == args[0] {
				return p, args[1:], nil
			}
		}
		why = fmt.Errorf("unknown program %q", args[0])
	}
	return nil, nil, failure.New(failure.Usage, "run", "", why).Fix("choose one of:" + list(programs))
}

// list returns a list of the programs, each on its own line.
func list(programs []mapreduce.Program) string {
	var b strings.Builder
	for _, p := range programs {
		fmt.Fprintf(&b, "\n  %-16s %s", p.App().Name, p.App().Short)
	}
	return b.String()
}

const genericOptions = "Generic options: -conf FILE, -D key=value, -fs URI, -jt local|HOST:PORT, --mrcluster NAME, " +
	"--config DIR, -files LIST, -archives LIST, -libjars LIST"

// help prints how to call one of the programs, or, if p is nil, how to choose one.
func help(w io.Writer, programs []mapreduce.Program, p mapreduce.Program) error {
	call, about := "PROGRAM ARGS...", "Programs:"+list(programs)
	if p != nil {
		app := p.App()
		call, about = app.Usage, strings.TrimSuffix(app.Name+": "+app.Short, ": ")
		if len(programs) > 1 {
			call = app.Name + " " + call
		}
	}
	_, err := fmt.Fprintf(w, "Usage: %s [generic options] %s\n%s\n%s\n", filepath.Base(os.Args[0]), call, about,
		genericOptions)
	return err
}
