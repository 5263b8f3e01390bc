package mro

import (
	"context"

	"github.com/howdah/howdah/experiments/lab"
)

// mro4 reproduces Figure 8 of MROrchestrator, which shows the virtualized cluster.
var mro4 = &lab.Experiment{
	ID: "MRO-4", Paper: Paper, BibTeX: BibTeX, Sim: mro4Simulate, Real: mro4Real,
}

func mro4Simulate(ctx context.Context, r *lab.Run) error {
	Knobs(r)
	r.Knob("virtualized cluster", "12 nodes with two tasks each; a task's CPU share is a cap, not a weight; virtual "+
		"machines keep running when their tasks end, and an idle one lends its memory")
	all := All()
	gain := map[string][]float64{}
	var rows [][]string
	for _, virtual := range []bool{false, true} {
		name := map[bool]string{false: "native", true: "virtual"}[virtual]
		out, err := Runs(ctx, r, Seeds(r), []Case{{Jobs: all, Virtual: virtual},
			{Jobs: all, Virtual: virtual, Estimator: "regression", Control: Both},
			{Jobs: all, Virtual: virtual, Estimator: "uniform", Control: Both}})
		if err != nil {
			return err
		}
		for i, e := range []string{"regression", "uniform"} {
			g := Each(out[0], out[i+1], Reduction)
			gain[name+" "+e] = g
			rows = append(rows, Row(name+" "+e, Reductions(out[0], out[i+1]), lab.IntervalOf(g), mro4Paper[name+" "+e]))
		}
	}
	r.AddTable("reduction", Head(), rows)
	for _, e := range []string{"regression", "uniform"} {
		r.Compare("virtual-"+e, lab.IntervalOf(gain["virtual "+e]), "the mean over six jobs")
	}
	r.Compare("native-virtual", lab.Difference(gain["native regression"], gain["virtual regression"]), "REGRESSION")
	return nil
}

var mro4Paper = map[string]string{"native regression": "26.5, 38.2", "native uniform": "9.2, 12.1",
	"virtual regression": "21.5, 31.4", "virtual uniform": "8.5, 10.8"}
