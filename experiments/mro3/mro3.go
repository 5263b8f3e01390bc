// Package mro3 is Figures 7 and 9(a,b) of MROrchestrator: how much more of the cluster is in use.
package mro3

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/mro"
)

// Experiment is MRO-3.
var Experiment = &lab.Experiment{
	ID: "MRO-3", Paper: mro.Paper, Item: "Figures 7(a) to 7(d), 9(a) and 9(b)", BibTeX: mro.BibTeX,
	Claim: "With all six jobs REGRESSION raises CPU utilisation by 15.2% and that of memory by 14.5% on the native cluster (14.1% and 13.1% on the virtualised one); " +
		"UNIFORM by less than 10%.",
	Relation: "utilisation of both resources is higher with MROrchestrator than without",
	Sim:      simulate,
}

var resources = [2]string{"CPU", "memory"}

var paper = map[string]string{"CPU regression": "15.2, 24.3", "CPU uniform": "below 10", "memory regression": "14.5, 18.7", "memory uniform": "below 10"}

func simulate(ctx context.Context, r *lab.Run) error {
	mro.Knobs(r)
	all := mro.All()
	out, err := mro.Runs(ctx, r, mro.Seeds(r), []mro.Case{
		{Jobs: all, Trace: true}, {Jobs: all, Estimator: "regression", Control: mro.Both, Trace: true}, {Jobs: all, Estimator: "uniform", Control: mro.Both},
	})
	if err != nil {
		return err
	}
	var rows [][]string
	missed := false
	for k, name := range resources {
		for i, e := range []string{"regression", "uniform"} {
			more := rise(out[0], out[i+1], k)
			rows = append(rows, []string{name, e, fmt.Sprintf("%.1f", 100*out[0][0].Util[k]), fmt.Sprintf("%.1f", 100*out[i+1][0].Util[k]), more.String(), paper[name+" "+e]})
			if mro.More(r, more) {
				r.Check(e+": more "+name+" is in use", true, "%v%% more", more)
				continue
			}
			missed = true
			r.NotReproduced("%s: more %s is in use: %v%% more", e, name, more)
		}
		draw(r, k, out[0][0], out[1][0])
	}
	r.AddTable("utilisation", []string{"resource", "estimator", "without (%, first seed)", "with", "more (%)", "paper: mean, maximum (%)"}, rows)
	if missed {
		return isolate(ctx, r)
	}
	return nil
}

// rise is how much more of a resource is in use, in percent.
func rise(without, with []*mro.Outcome, k int) mro.Interval {
	return mro.Of(mro.Each(without, with, func(a, b *mro.Outcome) float64 { return 100 * (b.Util[k]/a.Util[k] - 1) }))
}

// isolate lets a lack of memory cost no CPU: then all CPU that is in use is work, and sooner done is more in use.
func isolate(ctx context.Context, r *lab.Run) error {
	all := mro.All()
	out, err := mro.Runs(ctx, r, mro.Seeds(r), []mro.Case{{Jobs: all, Waits: true}, {Jobs: all, Waits: true, Estimator: "regression", Control: mro.Both}})
	if err != nil {
		return err
	}
	less := mro.Of(mro.Each(out[0], out[1], mro.Reduction))
	r.NotReproduced("if a lack of memory cost time only and no CPU, REGRESSION would use %v%% more CPU and end jobs %v%% sooner: what a task with enough memory "+
		"no longer collects or spills counts for no utilisation", rise(out[0], out[1], 0), less)
	return nil
}

// draw is Figure 9(a) or (b).
func draw(r *lab.Run, k int, without, with *mro.Outcome) {
	p := lab.Plot{Name: resources[k], Title: "Use of " + resources[k] + " over time, all six jobs", X: "s", Y: "% in use"}
	for _, s := range []struct {
		name string
		o    *mro.Outcome
	}{{"base", without}, {"MROrchestrator", with}} {
		line := lab.Series{Name: s.name, X: s.o.Seconds}
		for _, y := range s.o.Series[k] {
			line.Y = append(line.Y, 100*y)
		}
		p.Series = append(p.Series, line)
	}
	r.AddPlot(p)
}
