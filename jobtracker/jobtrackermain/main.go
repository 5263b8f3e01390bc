// Package jobtrackermain builds a JobTracker that offers a program's own scheduling policies in
// addition to the built-in ones:
//
//	func main() {
//		jobtrackermain.Main(jobtrackermain.Policies{{Name: "sjf", New: newShortestFirst}})
//	}
//
// The command "./program jobtracker [--scheduler NAME]" starts the JobTracker. It works with
// standard TaskTrackers and clients, and it runs jobs of any program. Package scheduler defines the
// policy interface, and package scheduler/policytest tests a policy.
package jobtrackermain

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/howdah/howdah"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/inspect"
	"github.com/howdah/howdah/internal/runner"
	"github.com/howdah/howdah/internal/serve"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/scheduler/catalog"
)

// Policies is a program's list of scheduling policies. The Name of a policy must be unique. It
// becomes a valid value of mapreduce.jobtracker.taskscheduler and a valid argument of howdah admin
// -setScheduler. The first policy is the default if the configuration does not select one. The
// Files of a policy are the configuration keys that name its files. The JobTracker reads the files
// into the policy's Setup and reloads them after a change unless OnRefresh is set.
type Policies []catalog.Entry

// jobTracker is the command that starts a JobTracker.
const jobTracker = "jobtracker"

// Main runs the program and exits, like howdah.Main. If the arguments do not start a JobTracker,
// Main passes them to the given programs, if any.
func Main(policies Policies, programs ...mapreduce.Program) {
	if code, ok := howdah.Child(programs...); ok {
		os.Exit(code)
	}
	os.Exit(runner.Main(func(ctx context.Context) error {
		return Run(ctx, os.Args[1:], os.Stdout, os.Stderr, policies, programs...)
	}))
}

// Run does the same as Main but returns. Call howdah.Child first, as Main does. A JobTracker serves
// until ctx ends.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer, policies Policies,
	programs ...mapreduce.Program) error {
	options, rest, err := conf.ParseGeneric(args)
	switch {
	case err != nil:
		return err
	case wantsJobTracker(rest):
		more, rest, err := conf.ParseGeneric(rest[1:])
		if err != nil {
			return err
		}
		return policies.serve(ctx, options.And(more), rest, stdout, stderr)
	case len(programs) > 0:
		return howdah.Run(ctx, args, stdout, stderr, programs...)
	}
	return policies.explain(rest, stdout)
}

func wantsJobTracker(args []string) bool { return len(args) > 0 && args[0] == jobTracker }

// serve runs a JobTracker until ctx ends, or replays recorded inputs.
func (p Policies) serve(ctx context.Context, options conf.GenericOptions, args []string, out, errOut io.Writer) error {
	table := catalog.Builtin()
	for _, e := range p {
		var err error
		if table, err = table.With(e); err != nil {
			return err
		}
	}
	flags := flag.NewFlagSet(jobTracker, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	name := flags.String("scheduler", "", "name of the scheduling policy")
	record := flags.String("record-inputs", "", "file for every input of the JobTracker's machine")
	replay := flags.String("replay-inputs", "", "file with recorded inputs to replay")
	pid := flags.String("pid-file", "", "file for the process ID")
	err := flags.Parse(args)
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	switch i := slices.IndexFunc(args, conf.IsGeneric); {
	case errors.Is(err, flag.ErrHelp):
		_, err := fmt.Fprintln(out, p.usage(filepath.Base(os.Args[0])))
		return err
	case err != nil && i >= 0:
		return failure.New(failure.Usage, "run", jobTracker, fmt.Errorf("%s is a generic option", args[i])).
			Fix("write generic options directly after " + jobTracker)
	case err != nil:
		return failure.New(failure.Usage, "run", jobTracker, err).Fix(jobTracker + " " + jobTrackerArgs)
	}
	if *replay != "" {
		return serve.Replay(*replay, table, out, errOut)
	}
	load := func() (*conf.Config, error) {
		c, err := options.Load()
		if err == nil {
			choosePolicy(c, *name, p[0].Name)
		}
		return c, err
	}
	log := inspect.NewLog(errOut)
	return serve.JobTracker{Load: load, Catalog: table, RecordInputs: *record, PIDFile: *pid, Log: log}.Run(ctx)
}

// choosePolicy sets the initial policy in c. asked is the policy on the command line, and own is
// the program's first policy. asked takes precedence over the configured policy, which takes
// precedence over own.
func choosePolicy(c *conf.Config, asked, own string) {
	if asked == "" && c.IsDefault(conf.JobTrackerTaskScheduler.Name) {
		asked = own
	}
	if asked != "" {
		c.Set(conf.JobTrackerTaskScheduler.Name, asked, "--scheduler")
	}
}

const jobTrackerArgs = "[generic options] [--scheduler NAME] [--record-inputs FILE] [--replay-inputs FILE] " +
	"[--pid-file FILE]"

// usage returns the help text of the jobtracker command.
func (p Policies) usage(program string) string {
	var names []string
	for _, e := range p {
		names = append(names, e.Name)
	}
	return fmt.Sprintf("%s is a JobTracker with howdah's schedulers and %s.\nUsage: %s %s %s\n"+
		"Use howdah's own TaskTrackers and clients with it.", program, strings.Join(names, ", "), program, jobTracker,
		jobTrackerArgs)
}

// explain handles arguments without the jobtracker command in a program that contains only
// policies. It does not start a JobTracker, because a user may only be trying out the program.
func (p Policies) explain(args []string, out io.Writer) error {
	usage := p.usage(filepath.Base(os.Args[0]))
	switch {
	case len(args) == 0:
		return failure.New(failure.Usage, "start", "", errors.New("no command")).Fix(usage)
	case args[0] == "help" || runner.AsksForHelp(args[:1]):
		_, err := fmt.Fprintln(out, usage)
		return err
	}
	return failure.New(failure.Usage, "start", "", fmt.Errorf("unexpected argument %q", args[0])).Fix(usage)
}
