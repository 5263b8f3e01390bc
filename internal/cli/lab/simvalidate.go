package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"text/tabwriter"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/internal/arguments"
	"github.com/howdah/howdah/internal/plural"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/validate"
)

func (s *session) simValidate() *urfave.Command {
	return &urfave.Command{
		Name: "validate", Usage: "replay a recorded execution and compare the durations of jobs", ArgsUsage: "TRACE",
		Description: `The replay uses the recorded submission times and task durations, but not where or when the tasks ran.
It compares each job from its first task to its end. It also replays unsuccessful jobs and jobs with inconsistent
clocks, but lists them separately. If a journal contains changes of the scheduler, the replay changes it at the same
times, except with the model task. The web page of a JobTracker does not list these changes, so an address needs
--scheduler.`,
		Flags: append(append([]urfave.Flag{
			&urfave.StringFlag{Name: "scheduler", Usage: "`NAME` of the scheduler under which the trace was recorded"},
			&urfave.Float64Flag{Name: "least", Usage: "compare only jobs that took at least `S` seconds"},
			&urfave.BoolFlag{Name: "from-submission", Usage: "compare jobs from their submission to their end"},
			dbFlag(), arguments.JSONFlag(),
		}, replayFlags()...), importFlags()...),
		Action: s.validateSim,
	}
}

// replayFlags returns the cluster flags that also apply to a replay of recorded jobs.
func replayFlags() []urfave.Flag {
	return slices.DeleteFunc(clusterFlags(), func(f urfave.Flag) bool {
		return slices.Contains([]string{"plan", "speculation", "keep-idle-beats", "deadline-factor"}, f.Names()[0])
	})
}

func (s *session) validateSim(c *urfave.Context) error {
	if what := c.Args().First(); isAddress(what) && !c.IsSet("scheduler") {
		return failure.New(failure.Usage, "validate", what,
			errors.New("the JobTracker's web page does not list changes of the scheduler")).
			Fix("validate a copy of the JobTracker's journal, or if the scheduler never changed, name it with --scheduler")
	}
	w, k, p, err := s.setUp(c)
	if err != nil {
		return err
	}
	t, err := w.whole(c.Context)
	if err != nil {
		return err
	}
	used := models
	if c.IsSet("model") {
		used = []string{k.model}
	}
	switches, err := s.switches(w, k, p)
	if err != nil {
		return err
	}
	reports, err := validate.Compare(c.Context, t, validate.Config{Trackers: k.nodes, Slots: k.slots,
		Heartbeat: k.heartbeat, WaitForWork: k.waitForWork,
		Seed: c.Uint64("seed"), Scheduler: p.name, Policy: func() (scheduler.Policy, error) { return p.policy(k.all()) },
		Switches:  switches,
		FromStart: !c.Bool("from-submission"), Shortest: int64(c.Float64("least") * 1000)}, used...)
	if err != nil {
		return err
	}
	if len(reports[0].Jobs) == 0 {
		return failure.New(failure.Usage, "validate", w.name,
			errors.New("it has no successful job with a recorded end that is long enough"))
	}
	if c.Bool("json") {
		return s.json(reports)
	}
	return s.printValidation(w, reports)
}

// switches returns the changes of the scheduler in a workload, and tells the user of them. The
// journal has only their names, so the settings are those of p.
func (s *session) switches(w *workload, k *cluster, p *policies) (list []validate.Switch, err error) {
	for _, x := range w.changes {
		next, err := s.choose(p.conf, x.Name, "")
		if err != nil {
			return nil, err
		}
		list = append(list, validate.Switch{At: x.At,
			Policy: func() (scheduler.Policy, error) { return next.policy(k.all()) }})
		s.note("the replay follows the change of the scheduler to %s", next.name)
	}
	return list, nil
}

// whole reads a workload into memory.
func (w *workload) whole(ctx context.Context) (*trace.Trace, error) {
	t := &trace.Trace{Name: w.name, Origin: w.origin, Nodes: w.nodes, Slots: w.slots}
	err := w.each(ctx, func(j *trace.Job) error {
		t.Jobs = append(t.Jobs, j)
		return nil
	})
	return t, err
}

func (s *session) printValidation(w *workload, reports []validate.Report) error {
	t := tabwriter.NewWriter(s.out, 2, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "job\tname\texecuted s\t")
	for _, r := range reports {
		fmt.Fprintf(t, "%s s\terror\t", r.Model)
	}
	fmt.Fprintln(t)
	for i, x := range reports[0].Jobs {
		if i == maxRows {
			break
		}
		fmt.Fprintf(t, "%s\t%s\t%.1f\t", x.ID, cut(x.Name, 24), seconds(x.Executed))
		for _, r := range reports {
			// The models might not agree on which jobs finish.
			if k := slices.IndexFunc(r.Jobs, func(y validate.Job) bool { return y.ID == x.ID }); k >= 0 {
				fmt.Fprintf(t, "%.1f\t%+.1f%%\t", seconds(r.Jobs[k].Replayed), 100*r.Jobs[k].Error)
				continue
			}
			fmt.Fprint(t, "-\t-\t")
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	first := &reports[0]
	for _, x := range first.Apart[:min(len(first.Apart), maxRows)] {
		fmt.Fprintf(s.out, "  %s excluded: %s\n", x.ID, x.Why)
	}
	fmt.Fprintf(s.out, "\n%s: %s compared, %d too short, %d excluded\n", w.name, plural.Of(len(first.Jobs), "job"),
		len(first.Short),
		len(first.Apart))
	for _, r := range reports {
		fmt.Fprintf(s.out, "%s: average error %.1f%%, worst %.1f%%, bias %+.1f%%\n", r.Model, 100*r.Average, 100*r.Worst,
			100*r.Bias)
	}
	return nil
}
