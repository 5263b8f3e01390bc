package mro2

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/mro"
)

// The modes of a real run. The last decides like the third and keeps it for itself: it shows how much chance gains.
var (
	base     = mro.Mode{Name: "base"}
	realRuns = []mro.Mode{base, {Name: "UNIFORM", Estimator: "uniform"}, {Name: "REGRESSION", Estimator: "regression"}, {Name: "control", Estimator: "regression", Watch: true}}
)

// real runs the testbed's jobs together in each mode, several times.
func real(ctx context.Context, r *lab.Run) error {
	const pairs = 8
	mro.Bed.Knobs(r)
	out, err := interleaved(ctx, r, realRuns, pairs)
	if err != nil {
		return err
	}
	show(r, realRuns, out)
	uniform, regression, control := gains(out[0], out[1]), gains(out[0], out[2]), gains(out[0], out[3])
	u, g, c := mro.Of(uniform), mro.Of(regression), mro.Of(control)
	held := []bool{
		r.Claim("REGRESSION ends jobs sooner", g.Above(0), "by %v%%; the paper 26.5%%", g),
		r.Claim("UNIFORM ends jobs sooner", u.Above(0), "by %v%%; the paper 9.2%%", u),
		r.Claim("REGRESSION above UNIFORM", mro.Minus(regression, uniform).Above(0), "by %v points", mro.Minus(regression, uniform)),
		r.Claim("what is decided and not applied gains nothing", c.Holds(0) && 2*c.Half <= g.Mean*2/3, "%v%%, an interval of %.1f points; wanted at most %.1f", c, 2*c.Half, g.Mean*2/3),
	}
	for k, name := range []string{"CPU", "memory"} {
		up := mro.Of(mro.Each(out[0], out[2], func(a, b *mro.Outcome) float64 { return 100 * (b.Util[k]/a.Util[k] - 1) }))
		held = append(held, r.Claim(name+" is used better with REGRESSION", up.Above(0), "by %v%%; the paper's mean %s%%", up, []string{"15.2", "14.5"}[k]))
	}
	for _, h := range held {
		if !h {
			return oneResource(ctx, r)
		}
	}
	return nil
}

// oneResource runs the modes that move one resource alone, to tell where the gain comes from and where not.
func oneResource(ctx context.Context, r *lab.Run) error {
	modes := []mro.Mode{base, {Name: "REGRESSION, memory alone", Estimator: "regression", Control: "memory"}, {Name: "REGRESSION, CPU alone", Estimator: "regression", Control: "cpu"}}
	out, err := interleaved(ctx, r, modes, 3)
	if err != nil {
		return err
	}
	for i, m := range modes[1:] {
		saved := mro.Of(mro.Each(out[0], out[i+1], func(a, b *mro.Outcome) float64 { return 100 * (1 - b.CPU/a.CPU) }))
		r.NotReproduced("isolated: %s ends jobs %v%% sooner and saves %v%% of the CPU time: what a garbage collector with more room does not do counts for no utilisation", m.Name, mro.Of(gains(out[0], out[i+1])), saved)
	}
	return nil
}

// interleaved gives outcomes by mode and repetition. Each repetition begins with another mode, so that what changes on the machine over
// time hits all alike.
func interleaved(ctx context.Context, r *lab.Run, modes []mro.Mode, times int) ([][]*mro.Outcome, error) {
	out := make([][]*mro.Outcome, len(modes))
	for n := range times {
		for k := range modes {
			i := (k + n) % len(modes)
			o, err := mro.Bed.Run(ctx, r, modes[i])
			if err != nil {
				return nil, err
			}
			out[i] = append(out[i], o)
		}
	}
	return out, nil
}

func gains(base, other []*mro.Outcome) []float64 { return mro.Each(base, other, mro.Reduction) }

// show makes a table of runs, and one of what jobs gain.
func show(r *lab.Run, modes []mro.Mode, out [][]*mro.Outcome) {
	head := []string{"run", "repetition"}
	for _, w := range mro.Bed.Jobs {
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
		row := []string{m.Name, mro.Of(gains(out[0], out[i])).String()}
		for _, x := range mro.Reductions(out[0], out[i]) {
			row = append(row, fmt.Sprintf("%.1f", x))
		}
		reductions = append(reductions, row)
	}
	r.AddTable("runs", head, rows)
	head = []string{"run", "reduction (%)"}
	for _, w := range mro.Bed.Jobs {
		head = append(head, w.Name)
	}
	r.AddTable("reductions", head, reductions)
}
