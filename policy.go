package howdah

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/serve"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/catalog"
)

// WithPolicy gives a program a JobTracker with a scheduling policy of its own, beside those that are built in:
//
//	func main() { howdah.Main(howdah.WithPolicy("sjf", newShortestFirst)) }
//
// is a JobTracker that schedules by newShortestFirst's policy. Run as "./program jobtracker [--scheduler NAME]" it serves; the
// TaskTrackers and clients are the ordinary ones, and jobs may belong to other programs. The policy is known by name, which must
// not be taken, wherever a scheduler is named (mapreduce.jobtracker.taskscheduler, howdah admin -setScheduler); it is the one in
// place if the configuration names none. files are keys of files that it is configured by: they are read into its Setup, and
// read again when they have changed. scheduler.Policy says what a policy is, and scheduler/policytest tests one.
func WithPolicy(name string, New scheduler.New, files ...string) mapreduce.Program {
	return &policyProgram{catalog.Entry{Name: name, New: New, Files: files}}
}

type policyProgram struct{ entry catalog.Entry }

// jobTracker is the argument that makes a program with policies serve.
const jobTracker = "jobtracker"

// App implements mapreduce.Program: how the program shows in lists.
func (p *policyProgram) App() *mapreduce.App {
	return &mapreduce.App{Name: jobTracker, Short: "runs a JobTracker that knows the scheduler " + p.entry.Name,
		Usage: jobTrackerArgs}
}

// policiesOf separates policies from programs.
func policiesOf(all []mapreduce.Program) (policies []catalog.Entry, programs []mapreduce.Program) {
	for _, p := range all {
		if own, ok := p.(*policyProgram); ok {
			policies = append(policies, own.entry)
		} else {
			programs = append(programs, p)
		}
	}
	return policies, programs
}

// runJobTracker serves until ctx ends, with the program's policies beside the built-in ones.
func runJobTracker(ctx context.Context, policies []catalog.Entry, options conf.GenericOptions, args []string, out, errOut io.Writer) error {
	table := catalog.Builtin()
	for _, e := range policies {
		var err error
		if table, err = table.With(e); err != nil {
			return err
		}
	}
	flags := flag.NewFlagSet(jobTracker, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	name := flags.String("scheduler", "", "name of the scheduling policy")
	record := flags.String("record-inputs", "", "file for every input of the JobTracker's logic")
	replay := flags.String("replay-inputs", "", "file with recorded inputs to decide on again")
	err := flags.Parse(args)
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if err != nil {
		return failure.New(failure.Usage, "run", jobTracker, err).Fix(jobTracker + " " + jobTrackerArgs)
	}
	if *replay != "" {
		return serve.Replay(*replay, table, out, errOut)
	}
	load := func() (*conf.Config, error) {
		c, err := options.Load()
		if err == nil {
			choosePolicy(c, *name, policies[0].Name)
		}
		return c, err
	}
	return serve.JobTracker{Load: load, Catalog: table, RecordInputs: *record, Log: slog.New(slog.NewTextHandler(errOut, nil))}.Run(ctx)
}

// choosePolicy names the policy to begin with: the one that was asked for, else the configured one, else the program's own.
func choosePolicy(c *conf.Config, asked, own string) {
	if asked == "" && c.IsDefault(catalog.Key) {
		asked = own
	}
	if asked != "" {
		c.Set(catalog.Key, asked, "--scheduler")
	}
}

// wantsJobTracker takes the word off the arguments if they ask for a JobTracker.
func wantsJobTracker(policies []catalog.Entry, args []string) (rest []string, ok bool) {
	if len(policies) == 0 || len(args) == 0 || args[0] != jobTracker {
		return args, false
	}
	return args[1:], true
}

const jobTrackerArgs = "[--scheduler NAME] [--record-inputs FILE] [--replay-inputs FILE]"

// usageOf says what a program is that has policies and nothing else. It does not serve before it is told to: whoever tries what
// it does shall not find a JobTracker on the usual port.
func usageOf(program string, policies []catalog.Entry) string {
	var names []string
	for _, e := range policies {
		names = append(names, e.Name)
	}
	return fmt.Sprintf("%s is a JobTracker that knows the scheduler %s beside those of howdah.\nUsage: %s %s %s\n"+
		"TaskTrackers and clients are the ordinary ones.", program, strings.Join(names, ", "), program, jobTracker, jobTrackerArgs)
}

// explain answers arguments of a program that has policies and nothing else, if they do not start its JobTracker.
func explain(policies []catalog.Entry, args []string, out io.Writer) error {
	usage := usageOf(filepath.Base(os.Args[0]), policies)
	switch {
	case len(args) == 0:
		return failure.New(failure.Usage, "start", "", errors.New("say what to do")).Fix(usage)
	case slices.Contains([]string{"help", "-h", "-help", "--help"}, args[0]):
		_, err := fmt.Fprintln(out, usage)
		return err
	}
	return failure.New(failure.Usage, "start", "", fmt.Errorf("unexpected argument %q", args[0])).Fix(usage)
}
