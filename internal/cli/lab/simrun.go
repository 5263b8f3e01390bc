package lab

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/internal/arguments"
	"github.com/howdah/howdah/internal/plural"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/simulator/trace"
)

func (s *session) simRun() *urfave.Command {
	return &urfave.Command{
		Name: "run", Usage: "simulate a trace", ArgsUsage: "TRACE...",
		Description: "An example:\nhowdah sim run --scheduler fair --nodes 20 --plot times.svg testbed",
		Flags: append(append([]urfave.Flag{
			&urfave.StringFlag{Name: "scheduler",
				Usage: "`NAME` of the scheduler (default: mapreduce.jobtracker.taskscheduler, otherwise fifo)"},
			&urfave.IntFlag{Name: "repeat", Usage: "run `N` times with different seeds", Value: 1},
			&urfave.StringFlag{Name: "plot", Usage: "plot the result to `FILE` (.svg, .png, or .pdf)"},
			&urfave.StringFlag{Name: "plot-kind", Usage: "kind of plot: cdf, slots, slots-by-job, gantt, or errors " +
				"(default: cdf; with --repeat, errors)"},
			&urfave.StringFlag{Name: "journal", Usage: "write the JobTracker's journal to `FILE`"},
			scenarioFlag(), replaceFlag(), workersFlag(), dbFlag(), arguments.JSONFlag(),
			&urfave.BoolFlag{Name: "keep", Usage: "store the result in the trace database"},
		}, clusterFlags()...), importFlags()...),
		Action: s.runSim,
	}
}

func (s *session) runSim(c *urfave.Context) error {
	n := c.Int("repeat")
	if n < 1 || n > 1_000_000 {
		return usageError("--repeat=%d: want 1 to 1000000", n)
	}
	if c.IsSet(scenarioOption) {
		return s.simulateScenario(c, 1)
	}
	if err := checkWorkers(c); err != nil {
		return err
	}
	drawing, err := newDrawing(c, n)
	if err != nil {
		return err
	}
	w, k, p, err := s.setUp(c)
	if err != nil {
		return err
	}
	runs, err := s.repeat(c, w, k, p, n, drawing)
	if err != nil {
		return err
	}
	s.warnFarOff(w, k, &runs[0])
	if c.Bool("keep") {
		if err := s.keepRuns(c, w.name, runs); err != nil {
			return err
		}
	}
	if err := drawing.draw(w, runs); err != nil {
		return err
	}
	if c.Bool("json") {
		return s.json(runJSON(runs))
	}
	return s.printRuns(w, k, runs, drawing.file != nil)
}

// setUp reads the trace, the cluster, and the policies that a command simulates.
func (s *session) setUp(c *urfave.Context) (*workload, *cluster, *policies, error) {
	what, err := oneTrace(c)
	if err != nil {
		return nil, nil, nil, err
	}
	config, err := s.config()
	if err != nil {
		return nil, nil, nil, err
	}
	p, err := s.choose(config, c.String("scheduler"), c.String("speculation"))
	if err != nil {
		return nil, nil, nil, err
	}
	w, err := s.load(c, what)
	if err != nil {
		return nil, nil, nil, err
	}
	k, err := clusterOf(c, config, w)
	return w, k, p, err
}

// outcome is the result of one run, and the time that the run took.
type outcome struct {
	*trace.Result
	started  time.Time
	wall     time.Duration
	recorded recordedTimes
}

// repeat simulates a trace n times, each time with a different seed. It returns the outcomes in the
// order of the seeds. The first run writes the journal that d needs.
func (s *session) repeat(c *urfave.Context, w *workload, k *cluster, p *policies, n int,
	d *drawing) ([]outcome, error) {
	steps := w.jobs
	if steps > 0 {
		steps *= n
	}
	step, end := s.bar("simulating", steps)
	defer end()
	runs := make([]outcome, n)
	err := lab.Parallel(c.Context, c.Int("workers"), n, func(ctx context.Context, i int) error {
		m := &simulation{on: k, policies: p, seed: c.Uint64("seed") + uint64(i), progress: step}
		one := func(journal io.Writer) (err error) {
			m.journal = journal
			runs[i], err = m.run(ctx, w)
			return err
		}
		if i == 0 {
			return d.journal(one)
		}
		return one(nil)
	})
	return runs, err
}

func (s *session) keepRuns(c *urfave.Context, name string, runs []outcome) error {
	d, err := s.openDB(c, true)
	if err != nil {
		return err
	}
	defer d.Close()
	for i := range runs {
		if err := d.AddRun(c.Context, name, runs[i].started, runs[i].wall, runs[i].Result); err != nil {
			return err
		}
	}
	return nil
}

// shown returns the measures that at least one of the runs has.
func shown(runs ...outcome) []lab.Measure {
	return lab.Shown(results(runs))
}

func results(runs []outcome) []*trace.Result {
	list := make([]*trace.Result, len(runs))
	for i := range runs {
		list[i] = runs[i].Result
	}
	return list
}

// meanText returns the measure's mean over the runs, with its confidence interval.
func meanText(m lab.Measure, runs []outcome) string {
	i := m.Over(results(runs))
	if len(runs) == 1 {
		return fmt.Sprintf("%.6g", i.Mean)
	}
	return fmt.Sprintf("%.5g +- %.2g", i.Mean, i.Half)
}

// maxRows is the maximum number of listed jobs.
const maxRows = 40

func (s *session) printRuns(w *workload, k *cluster, runs []outcome, journal bool) error {
	r := runs[0].Result
	fmt.Fprintf(s.out, "%s: %s under %s on %s of %d + %d slots (model %s, seed %d)\n", w.name,
		plural.Of(len(r.Jobs), "job"),
		r.Scheduler, plural.Of(k.nodes, "node"), k.slots[0], k.slots[1], r.Model, r.Seed)
	t := tabwriter.NewWriter(s.out, 2, 8, 2, ' ', 0)
	for _, m := range shown(runs...) {
		fmt.Fprintf(t, "%s\t%s\t%s\n", m.Name, meanText(m, runs), m.Unit)
	}
	if len(runs) == 1 {
		fmt.Fprintf(t, "events\t%d\t\njournal\t%s\t\n", r.Events, r.Hash)
		for _, n := range r.Kinds {
			fmt.Fprintf(t, "  %s\t%d\t\n", n.Kind, n.N)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(runs) > 1 {
		fmt.Fprintf(s.out, "(%d runs with seeds from %d; mean and 95%% confidence interval)\n", len(runs), r.Seed)
		return nil
	}
	return s.printJobs(r, journal)
}

// printJobs lists the jobs in the order of their submission, with their IDs in the trace and, if a
// journal was written, in the journal. For more than maxRows jobs, it prints only a note.
func (s *session) printJobs(r *trace.Result, journal bool) error {
	if len(r.Jobs) > maxRows {
		fmt.Fprintf(s.out, "(use --json to list the %d jobs)\n", len(r.Jobs))
		return nil
	}
	t := tabwriter.NewWriter(s.out, 2, 8, 2, ' ', tabwriter.AlignRight)
	if journal {
		fmt.Fprint(t, "in the journal\t")
	}
	fmt.Fprintln(t, "job\tname\tmaps\treduces\tsubmit s\twait s\ttime s\tdeadline\t")
	first := r.Jobs[0].Submit
	for _, j := range slices.SortedFunc(slices.Values(r.Jobs), bySubmit) {
		first = min(first, j.Submit)
	}
	for _, j := range slices.SortedFunc(slices.Values(r.Jobs), bySubmit) {
		if journal {
			fmt.Fprintf(t, "%s\t", journalID(&j))
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%.1f\t%.1f\t%.1f\t%s\t\n", j.ID, cut(j.Name, 24), j.Maps, j.Reduces,
			seconds(j.Submit-first), seconds(max(0, j.Start-j.Submit)), seconds(j.Finish-j.Submit), fate(&j))
	}
	return t.Flush()
}

// journalID returns a job's ID in the journal of its simulation. It returns "" for a job that the
// JobTracker rejected.
func journalID(j *trace.JobResult) string {
	if j.Seq == 0 {
		return ""
	}
	return job.ID{Cluster: trace.SimulatedCluster, Seq: j.Seq}.String()
}

func bySubmit(a, b trace.JobResult) int {
	return cmp.Or(cmp.Compare(a.Submit, b.Submit), cmp.Compare(a.Seq, b.Seq))
}

func seconds(ms int64) float64 { return float64(ms) / 1000 }

func fate(j *trace.JobResult) string {
	switch {
	case j.Failed:
		return "failed"
	case j.Deadline == 0:
		return "-"
	case j.Missed():
		return fmt.Sprintf("missed by %.1f", seconds(j.Finish-j.Deadline))
	}
	return "met"
}

func cut(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-3]) + "..."
}
