// Package mro4 is Figure 8 of MROrchestrator: the virtualised cluster.
package mro4

import (
	"context"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/mro"
)

// Experiment is MRO-4.
var Experiment = &lab.Experiment{
	ID: "MRO-4", Paper: mro.Paper, Item: "Figures 8(a) to 8(d)", BibTeX: mro.BibTeX,
	Claim:    "On 12 machines with two virtual machines of one task each the six jobs end 21.5% sooner on average with REGRESSION, which is less than the 26.5% of the native cluster.",
	Relation: "jobs end sooner on the virtualised cluster too, but gain less than on the native one",
	Sim:      simulate,
}

func simulate(ctx context.Context, r *lab.Run) error {
	mro.Knobs(r)
	r.Knob("virtualised", "12 nodes of two tasks; a task's CPU is a cap, not a weight; machines stay when their tasks end, and an idle one gives memory")
	all := mro.All()
	gain := map[string][]float64{}
	var rows [][]string
	for _, virtual := range []bool{false, true} {
		name := map[bool]string{false: "native", true: "virtual"}[virtual]
		out, err := mro.Runs(ctx, r, mro.Seeds(r), []mro.Case{{Jobs: all, Virtual: virtual},
			{Jobs: all, Virtual: virtual, Estimator: "regression", Control: mro.Both}, {Jobs: all, Virtual: virtual, Estimator: "uniform", Control: mro.Both}})
		if err != nil {
			return err
		}
		for i, e := range []string{"regression", "uniform"} {
			g := mro.Each(out[0], out[i+1], mro.Reduction)
			gain[name+" "+e] = g
			rows = append(rows, mro.Row(name+" "+e, mro.Reductions(out[0], out[i+1]), mro.Of(g), paper[name+" "+e]))
		}
	}
	r.AddTable("reduction", mro.Head(), rows)
	v := mro.Of(gain["virtual regression"])
	r.Check("regression: jobs end sooner on the virtualised cluster", mro.More(r, v), "%v%%", v)
	d := mro.Minus(gain["native regression"], gain["virtual regression"])
	r.Check("regression: the native cluster gains more", mro.More(r, d), "by %v points", d)
	return nil
}

var paper = map[string]string{"native regression": "26.5, 38.2", "native uniform": "9.2, 12.1", "virtual regression": "21.5, 31.4", "virtual uniform": "8.5, 10.8"}
