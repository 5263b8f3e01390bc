package mro

import (
	"context"

	"github.com/howdah/howdah/experiments/lab"
)

// mro5 reproduces Figures 9(c) and 9(d) of MROrchestrator, which compare MROrchestrator with
// container schedulers and combine it with them.
var mro5 = &lab.Experiment{
	ID: "MRO-5", Paper: Paper, Item: "Figures 9(c) and 9(d)", BibTeX: BibTeX,
	Claim: "Next-generation MapReduce (NGM) is better than Mesos with dominant resource fairness (DRF). " +
		"MROrchestrator on slots is better than Mesos with DRF by 17.5 points and better than NGM by 8.4 points. It " +
		"reduces completion times by another 12.8% on top of Mesos and by another 16.6% on top of NGM.",
	Relation: "jobs end sooner under NGM than under DRF; MROrchestrator on top of either reduces completion times",
	Sim:      mro5Simulate,
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
	d := lab.IntervalOf(Each(out[1], out[2], Reduction))
	r.Check("jobs end sooner under NGM than under DRF", More(r, d), "by %v%%", d)
	for i, policy := range []string{"drf", "ngm"} {
		g := lab.IntervalOf(Each(out[1+i], out[4+i], Reduction))
		if More(r, g) {
			r.Check("MROrchestrator reduces completion times under "+policy, true, "by %v%%", g)
			continue
		}
		less, err := mro5Isolate(ctx, r, with(policy))
		if err != nil {
			return err
		}
		r.NotReproduced("MROrchestrator reduces completion times under %s (by %v%%). If containers fit their tasks, "+
			"MROrchestrator can change little. If jobs request only 60%% of their tasks' use, the reduction is %v%%", policy, g,
			less)
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
