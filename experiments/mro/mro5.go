package mro

import (
	"context"

	"github.com/howdah/howdah/experiments/lab"
)

// mro5 reproduces Figures 9(c) and 9(d) of MROrchestrator, which compare MROrchestrator with
// container schedulers and combine it with them.
var mro5 = &lab.Experiment{
	ID: "MRO-5", Paper: Paper, BibTeX: BibTeX, Sim: mro5Simulate,
}

// mro5Paper contains the paper's statements about the rows of Figure 9(c).
var mro5Paper = []string{"17.5 points below MROrchestrator", "8.4 points below MROrchestrator", "26.5, 38.2", "", ""}

func mro5Simulate(ctx context.Context, r *lab.Run) error {
	Knobs(r)
	r.Knob("container", "the average memory of the job's tasks and one of the node's six virtual cores")
	all := All()
	with := func(policy string) Case {
		return Case{Jobs: all, Policy: policy, Estimator: "regression", Control: Both}
	}
	out, err := Runs(ctx, r, Seeds(r), []Case{{Jobs: all}, {Jobs: all, Policy: "drf"}, {Jobs: all, Policy: "ngm"},
		{Jobs: all, Estimator: "regression", Control: Both}, with("drf"), with("ngm")})
	if err != nil {
		return err
	}
	var rows [][]string
	for i, name := range []string{"drf", "ngm", "fair + MROrchestrator", "drf + MROrchestrator", "ngm + MROrchestrator"} {
		rows = append(rows, Row(name, Reductions(out[0], out[i+1]), lab.IntervalOf(Each(out[0], out[i+1], Reduction)),
			mro5Paper[i]))
	}
	r.AddTable("reduction over fair", Head(), rows)
	rows = nil
	for i, policy := range []string{"drf", "ngm"} {
		rows = append(rows, Row("MROrchestrator on "+policy, Reductions(out[1+i], out[4+i]),
			lab.IntervalOf(Each(out[1+i], out[4+i], Reduction)), []string{"12.8, 17", "16.6, 23.1"}[i]))
	}
	r.AddTable("reduction on top", Head(), rows)
	over := func(i int) []float64 { return Each(out[0], out[i], Reduction) } // reductions over fair
	r.Compare("ngm-drf", lab.Difference(over(2), over(1)), "NGM %s%%, DRF %s%%", lab.IntervalOf(over(2)),
		lab.IntervalOf(over(1)))
	r.Compare("fair-drf", lab.Difference(over(3), over(1)), "on slots %s%%", lab.IntervalOf(over(3)))
	r.Compare("fair-ngm", lab.Difference(over(3), over(2)), "on slots %s%%", lab.IntervalOf(over(3)))
	for i, policy := range []string{"drf", "ngm"} {
		if r.Compare("on-"+policy, lab.IntervalOf(Each(out[1+i], out[4+i], Reduction)), "the mean over six jobs") {
			continue
		}
		less, err := mro5Isolate(ctx, r, with(policy))
		if err != nil {
			return err
		}
		r.Note("If containers fit their tasks, MROrchestrator can change little. If jobs request only 60%% of their tasks' "+
			"use under %s, the reduction is %v%%.", policy, less)
	}
	return nil
}

// mro5Isolate runs jobs that request less memory than they use, with and without the orchestrator
// in c. It returns by how much, in percent, the orchestrator reduces completion times.
func mro5Isolate(ctx context.Context, r *lab.Run, c Case) (lab.Interval, error) {
	c.Ask = 0.6
	base := c
	base.Estimator = ""
	out, err := Runs(ctx, r, Seeds(r), []Case{base, c})
	if err != nil {
		return lab.Interval{}, err
	}
	return lab.IntervalOf(Each(out[0], out[1], Reduction)), nil
}
