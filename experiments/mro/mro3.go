package mro

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
)

// mro3 reproduces Figures 7 and 9(a,b) of MROrchestrator, which show the increase in the cluster's
// utilization.
var mro3 = &lab.Experiment{
	ID: "MRO-3", Paper: Paper, BibTeX: BibTeX, Sim: mro3Simulate,
}

var resources = [2]string{"CPU", "memory"}

var mro3Paper = map[string]string{"CPU regression": "15.2, 24.3", "CPU uniform": "below 10",
	"memory regression": "14.5, 18.7", "memory uniform": "below 10"}

func mro3Simulate(ctx context.Context, r *lab.Run) error {
	Knobs(r)
	all := All()
	out, err := Runs(ctx, r, Seeds(r), []Case{
		{Jobs: all}, {Jobs: all, Estimator: "regression", Control: Both},
		{Jobs: all, Estimator: "uniform", Control: Both},
	})
	if err != nil {
		return err
	}
	var rows [][]string
	missed := false
	for k, name := range resources {
		for i, e := range []string{"regression", "uniform"} {
			more := rise(out[0], out[i+1], k)
			rows = append(rows, []string{name, e, fmt.Sprintf("%.1f", 100*out[0][0].Util[k]),
				fmt.Sprintf("%.1f", 100*out[i+1][0].Util[k]), more.String(), mro3Paper[name+" "+e]})
			if !r.Compare(name+"-"+e, more, "the mean until the last job ends") {
				missed = true
			}
		}
		draw(r, k, out[0][0], out[1][0])
	}
	for i, e := range []string{"regression", "uniform"} {
		more := lab.IntervalOf(Each(out[0], out[i+1], moreUseful))
		rows = append(rows, []string{"CPU, useful", e, fmt.Sprintf("%.1f", 100*out[0][0].Useful),
			fmt.Sprintf("%.1f", 100*out[i+1][0].Useful), more.String(), ""})
		r.Compare("useful-"+e, more, "the CPU that tasks would use with enough memory, until the last job ends")
	}
	r.AddTable("utilization", []string{"resource", "estimator", "without (%, seed 1)", "with", "more (%)",
		"paper: mean, maximum (%)"}, rows)
	if missed {
		return mro3Isolate(ctx, r)
	}
	return nil
}

// moreUseful returns the increase in the utilization by useful work, in percent.
func moreUseful(without, with *Outcome) float64 { return 100 * (with.Useful/without.Useful - 1) }

// rise returns the increase in the utilization of resource k, in percent.
func rise(without, with []*Outcome, k int) lab.Interval {
	return lab.IntervalOf(Each(without, with, func(a, b *Outcome) float64 { return 100 * (b.Util[k]/a.Util[k] - 1) }))
}

// mro3Isolate runs the cases again under the assumption that a lack of memory does not use CPU. All
// CPU time is then useful work.
func mro3Isolate(ctx context.Context, r *lab.Run) error {
	all := All()
	out, err := Runs(ctx, r, Seeds(r),
		[]Case{{Jobs: all, Waits: true}, {Jobs: all, Waits: true, Estimator: "regression", Control: Both}})
	if err != nil {
		return err
	}
	less := lab.IntervalOf(Each(out[0], out[1], Reduction))
	r.Note("If a lack of memory cost only time and no CPU, REGRESSION would use %v%% more CPU and end jobs %v%% sooner. "+
		"A task with enough memory spends less CPU time on garbage collection and spills, which lowers utilization.",
		rise(out[0], out[1], 0), less)
	return nil
}

// draw adds a plot like Figure 9(a) if k is 0, or Figure 9(b) if k is 1.
func draw(r *lab.Run, k int, without, with *Outcome) {
	p := lab.Plot{Name: resources[k], Title: "Use of " + resources[k] + " over time, all six jobs", X: "s", Y: "% in use"}
	for _, s := range []struct {
		name string
		o    *Outcome
	}{{"base", without}, {"MROrchestrator", with}} {
		line := lab.Series{Name: s.name, X: s.o.Seconds}
		for _, y := range s.o.Series[k] {
			line.Y = append(line.Y, 100*y)
		}
		p.Series = append(p.Series, line)
	}
	r.AddPlot(p)
}
