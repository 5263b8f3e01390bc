package mro

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/howdah/howdah/experiments/lab"
)

// The modes of a real run. The last mode, control, makes REGRESSION's decisions but does not apply
// them, so any gain in that mode is due to chance.
var (
	base     = Mode{Name: "base"}
	realRuns = []Mode{base, {Name: "UNIFORM", Estimator: "uniform"}, {Name: "REGRESSION", Estimator: "regression"},
		{Name: "control", Estimator: "regression", Watch: true}}
)

// mro2Real runs the paper's six applications together several times in each mode.
func mro2Real(ctx context.Context, r *lab.Run) error {
	const pairs = 5
	in, err := os.MkdirTemp("", "howdah-testbed-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(in)
	if err := writeInput(ctx, r, in); err != nil {
		return err
	}
	b := applications(in)
	b.Knobs(r)
	out, err := b.interleaved(ctx, r, realRuns, pairs)
	if err != nil {
		return err
	}
	b.show(r, "", realRuns, out)
	uniform, regression, control := gains(out[0], out[1]), gains(out[0], out[2]), gains(out[0], out[3])
	held := []bool{
		r.Compare("regression", lab.IntervalOf(regression), "the mean over the jobs"),
		r.Compare("uniform", lab.IntervalOf(uniform), "the mean over the jobs"),
		r.Compare("more", lab.Difference(regression, uniform), "the mean over the jobs"),
		r.Compare("control", lab.IntervalOf(control), "the mean over the jobs"),
	}
	for k, name := range []string{"cpu", "memory"} {
		held = append(held, r.Compare(name, rise(out[0], out[2], k), "until the last job ends"))
	}
	if slices.Contains(held, false) {
		return b.oneResource(ctx, r)
	}
	return nil
}

// oneResource runs the modes that control only memory or only CPU, to determine which resource
// causes a gain.
func (b *Testbed) oneResource(ctx context.Context, r *lab.Run) error {
	modes := []Mode{base, {Name: "REGRESSION for memory alone", Estimator: "regression", Control: "memory"},
		{Name: "REGRESSION for CPU alone", Estimator: "regression", Control: "cpu"}}
	out, err := b.interleaved(ctx, r, modes, 3)
	if err != nil {
		return err
	}
	for i, m := range modes[1:] {
		change := lab.IntervalOf(Each(out[0], out[i+1], func(a, b *Outcome) float64 { return 100 * (b.CPU/a.CPU - 1) }))
		why := ""
		if m.Control == "memory" {
			why = "; with more memory, the garbage collector works less, which lowers utilization"
		}
		r.Note("%s ends jobs %v%% sooner and changes the CPU time by %v%%%s", m.Name,
			lab.IntervalOf(gains(out[0], out[i+1])), change, why)
	}
	return nil
}

// interleaved returns the outcomes by mode and repetition. Each repetition starts with a different
// mode, so that changes on the machine over time affect all modes alike.
func (b *Testbed) interleaved(ctx context.Context, r *lab.Run, modes []Mode, times int) ([][]*Outcome, error) {
	out := make([][]*Outcome, len(modes))
	for n := range times {
		for k := range modes {
			i := (k + n) % len(modes)
			o, err := b.Run(ctx, r, modes[i])
			if err != nil {
				return nil, err
			}
			out[i] = append(out[i], o)
		}
	}
	return out, nil
}

func gains(base, other []*Outcome) []float64 { return Each(base, other, Reduction) }

// show adds a table of the runs and a table of the jobs' gains. The tables' names start with prefix.
func (b *Testbed) show(r *lab.Run, prefix string, modes []Mode, out [][]*Outcome) {
	head := []string{"run", "repetition"}
	for _, w := range b.Jobs {
		head = append(head, w.Name+" (s)")
	}
	head = append(head, "all (s)", "CPU time (s)", "CPU in use (%)", "memory in use (%)")
	var rows, reductions [][]string
	for i, m := range modes {
		for n, o := range out[i] {
			row := []string{m.Name, fmt.Sprint(n + 1)}
			for _, t := range append(o.JCT, o.Makespan, o.CPU, 100*o.Util[0], 100*o.Util[1]) {
				row = append(row, fmt.Sprintf("%.1f", t))
			}
			rows = append(rows, row)
		}
		row := []string{m.Name, lab.IntervalOf(gains(out[0], out[i])).String()}
		for _, x := range Reductions(out[0], out[i]) {
			row = append(row, fmt.Sprintf("%.1f", x))
		}
		reductions = append(reductions, row)
	}
	r.AddTable(prefix+"runs", head, rows)
	head = []string{"run", "reduction (%)"}
	for _, w := range b.Jobs {
		head = append(head, w.Name)
	}
	r.AddTable(prefix+"reductions", head, reductions)
}
