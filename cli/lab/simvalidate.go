package lab

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"text/tabwriter"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/experiments/simmr"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
)

func (s *session) simValidate() *urfave.Command {
	return &urfave.Command{
		Name: "validate", Usage: "replay what a cluster executed and compare how long jobs took", ArgsUsage: "TRACE",
		Description: `The replay sees when jobs came and how long their tasks took, nothing else: a second replay with other recorded starts
and hosts must decide the same. Jobs are compared from their first task to their end. Jobs that did not succeed, and jobs whose
clocks contradict each other, are replayed as well but listed apart.`,
		Flags: append(append([]urfave.Flag{
			&urfave.StringFlag{Name: "scheduler", Usage: "`NAME` of the scheduler under which the trace was recorded"},
			&urfave.Float64Flag{Name: "least", Usage: "compare jobs that took at least `S`"},
			dbFlag(), jsonFlag(),
		}, clusterFlags()...), importFlags()...),
		Action: s.validateSim,
	}
}

// compared is a job as executed and as replayed by each model, in ms from its first task to its end.
type compared struct {
	job      *trace.Job
	executed int64
	replayed []int64
	why      string // it is listed apart, "" = it counts
}

func (s *session) validateSim(c *urfave.Context) error {
	what, err := oneTrace(c)
	if err != nil {
		return err
	}
	config, err := s.config()
	if err != nil {
		return err
	}
	p, err := choose(config, c.String("scheduler"), c.String("speculation"))
	if err != nil {
		return err
	}
	w, err := s.load(c, what)
	if err != nil {
		return err
	}
	k, err := clusterOf(c, config, w)
	if err != nil {
		return err
	}
	list, err := executed(c.Context, w, int64(c.Float64("least")*1000))
	if err != nil {
		return err
	}
	used := models
	if c.IsSet("model") {
		used = []string{k.model}
	}
	blind := true
	for i, model := range used {
		on := *k
		on.model = model
		m := &simulation{on: &on, policies: p, seed: c.Uint64("seed")}
		r, _, err := m.run(c.Context, w)
		if err != nil {
			return err
		}
		note(list, i, r)
		if i == 0 {
			if blind, err = isBlind(c.Context, m, w, r.Hash); err != nil {
				return err
			}
		}
	}
	if !blind {
		s.code = 1
	}
	if c.Bool("json") {
		return s.json(validationJSON(used, list, blind))
	}
	return s.printValidation(w, used, list, blind)
}

// executed measures the recorded jobs.
func executed(ctx context.Context, w *workload, least int64) ([]*compared, error) {
	var list []*compared
	n := 0
	err := w.each(ctx, func(j *trace.Job) error {
		x := &compared{job: j, executed: simmr.Ended(j) - began(j)}
		switch {
		case j.State != job.Succeeded:
			x.why = "did not succeed"
		case j.Skewed:
			x.why = "clocks disagree"
		case x.executed <= 0 || !hasStarts(j):
			x.why = "no times recorded"
		case x.executed < least:
			x.why = "too short"
		default:
			n++
		}
		list = append(list, x)
		return nil
	})
	if err == nil && n == 0 {
		err = failure.New(failure.Usage, "validate", w.name, errors.New("no job of it succeeded, tells when its tasks ran, and is long enough"))
	}
	return list, err
}

func hasStarts(j *trace.Job) bool {
	return slices.ContainsFunc(j.Maps, func(m trace.Map) bool { return m.Start > 0 }) ||
		slices.ContainsFunc(j.Reduces, func(r trace.Reduce) bool { return r.Start > 0 })
}

// began is when a job's first task started, or its submission if that was not recorded.
func began(j *trace.Job) int64 {
	first := int64(math.MaxInt64)
	for i := range j.Maps {
		if at := j.Maps[i].Start; at > 0 {
			first = min(first, at)
		}
	}
	for i := range j.Reduces {
		if at := j.Reduces[i].Start; at > 0 {
			first = min(first, at)
		}
	}
	if first == math.MaxInt64 {
		return j.Submit
	}
	return first
}

// note adds a replay to what was executed.
func note(list []*compared, model int, r *trace.Result) {
	took := make(map[string]int64, len(r.Jobs))
	for i := range r.Jobs {
		took[r.Jobs[i].ID] = r.Jobs[i].Finish - r.Jobs[i].Start
	}
	for _, x := range list {
		for len(x.replayed) <= model {
			x.replayed = append(x.replayed, 0)
		}
		x.replayed[model] = took[x.job.ID]
	}
}

// isBlind replays once more, with recorded starts and hosts of tasks mixed up, and tells whether the decisions were the same.
func isBlind(ctx context.Context, m *simulation, w *workload, hash string) (bool, error) {
	mixed := *w
	mixed.open = func(ctx context.Context) (trace.Source, func() error, error) {
		src, done, err := w.open(ctx)
		return &mixer{src, generate.Stream(m.seed, "mix up", 0)}, done, err
	}
	r, _, err := m.run(ctx, &mixed)
	if err != nil {
		return false, err
	}
	return r.Hash == hash, nil
}

// mixer gives copies of jobs whose tasks have the starts and hosts of others.
type mixer struct {
	src trace.Source
	r   *rand.Rand
}

func (m *mixer) Next() (*trace.Job, error) {
	from, err := m.src.Next()
	if err != nil {
		return nil, err
	}
	j := *from
	j.Launch, j.Finish = 0, 0
	j.Maps = append([]trace.Map(nil), j.Maps...)
	for i, k := range m.r.Perm(len(j.Maps)) {
		j.Maps[i].Start, j.Maps[i].Host = from.Maps[k].Start+m.r.Int64N(1e6), from.Maps[k].Host
	}
	j.Reduces = append([]trace.Reduce(nil), j.Reduces...)
	for i, k := range m.r.Perm(len(j.Reduces)) {
		j.Reduces[i].Start, j.Reduces[i].Host = from.Reduces[k].Start+m.r.Int64N(1e6), from.Reduces[k].Host
	}
	return &j, nil
}

// errorsOf gives a model's relative errors over the jobs that count: mean and greatest size, and mean with sign.
func errorsOf(list []*compared, model int) (mean, worst, bias float64) {
	n := 0.0
	for _, x := range list {
		if x.why != "" {
			continue
		}
		e := float64(x.replayed[model])/float64(x.executed) - 1
		n++
		mean += math.Abs(e)
		bias += e
		worst = max(worst, math.Abs(e))
	}
	return mean / n, worst, bias / n
}

func (s *session) printValidation(w *workload, used []string, list []*compared, blind bool) error {
	t := tabwriter.NewWriter(s.out, 2, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "job\tname\texecuted s\t")
	for _, m := range used {
		fmt.Fprintf(t, "%s s\terror\t", m)
	}
	fmt.Fprintln(t, "\t")
	for i, x := range list {
		if i == maxRows {
			break
		}
		fmt.Fprintf(t, "%s\t%s\t%.1f\t", x.job.ID, cut(x.job.Name, 24), seconds(x.executed))
		for m := range used {
			fmt.Fprintf(t, "%.1f\t%s\t", seconds(x.replayed[m]), relative(x, m))
		}
		fmt.Fprintf(t, "%s\t\n", x.why)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	n := 0
	for _, x := range list {
		if x.why == "" {
			n++
		}
	}
	fmt.Fprintf(s.out, "\n%s: %d of %d jobs compared\n", w.name, n, len(list))
	for m, name := range used {
		mean, worst, bias := errorsOf(list, m)
		fmt.Fprintf(s.out, "%s: average error %.1f%%, worst %.1f%%, bias %+.1f%%\n", name, 100*mean, 100*worst, 100*bias)
	}
	if blind {
		fmt.Fprintln(s.out, "Other recorded starts and hosts of tasks change no decision.")
	} else {
		fmt.Fprintln(s.out, "Other recorded starts or hosts of tasks CHANGE decisions: the replay uses what it must not.")
	}
	return nil
}

func relative(x *compared, m int) string {
	if x.executed <= 0 {
		return "-"
	}
	return fmt.Sprintf("%+.1f%%", 100*(float64(x.replayed[m])/float64(x.executed)-1))
}

type validatedJSON struct {
	Models []modelErrorJSON  `json:"models"`
	Blind  bool              `json:"blind"` // other recorded starts and hosts change nothing
	Jobs   []comparedJobJSON `json:"jobs"`
}

type modelErrorJSON struct {
	Model string  `json:"model"`
	Mean  float64 `json:"average_error"`
	Worst float64 `json:"worst_error"`
	Bias  float64 `json:"bias"`
}

type comparedJobJSON struct {
	ID       string           `json:"id"`
	Name     string           `json:"name"`
	Executed int64            `json:"executed_ms"`
	Replayed map[string]int64 `json:"replayed_ms"`
	Apart    string           `json:"apart,omitempty"` // why it does not count
}

func validationJSON(used []string, list []*compared, blind bool) validatedJSON {
	v := validatedJSON{Blind: blind}
	for m, name := range used {
		mean, worst, bias := errorsOf(list, m)
		v.Models = append(v.Models, modelErrorJSON{name, mean, worst, bias})
	}
	for _, x := range list {
		j := comparedJobJSON{x.job.ID, x.job.Name, x.executed, map[string]int64{}, x.why}
		for m, name := range used {
			j.Replayed[name] = x.replayed[m]
		}
		v.Jobs = append(v.Jobs, j)
	}
	return v
}
