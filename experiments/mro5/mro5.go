// Package mro5 is Figures 9(c) and 9(d) of MROrchestrator: beside and on top of schedulers that place containers.
package mro5

import (
	"context"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/mro"
)

// Experiment is MRO-5.
var Experiment = &lab.Experiment{
	ID: "MRO-5", Paper: mro.Paper, Item: "Figures 9(c) and 9(d)", BibTeX: mro.BibTeX,
	Claim: "NGM is better than Mesos with DRF, MROrchestrator on slots better than both (17.5 and 8.4 points); on top of Mesos it takes another 12.8% off the " +
		"completion times, on top of NGM 16.6%.",
	Relation: "jobs end sooner under NGM than under DRF; MROrchestrator on top lowers both",
	Sim:      simulate,
}

// paper is what Figure 9(c) says of the rows, as far as the text does.
var paper = []string{"MROrchestrator less 17.5", "MROrchestrator less 8.4", "26.5, 38.2", "", ""}

func simulate(ctx context.Context, r *lab.Run) error {
	mro.Knobs(r)
	r.Knob("containers", "the memory that a job's tasks use on average, one core of the node's six")
	all := mro.All()
	with := func(policy string) mro.Case {
		return mro.Case{Jobs: all, Policy: policy, Estimator: "regression", Control: mro.Both}
	}
	out, err := mro.Runs(ctx, r, mro.Seeds(r), []mro.Case{{Jobs: all}, {Jobs: all, Policy: "drf"}, {Jobs: all, Policy: "ngm"},
		{Jobs: all, Estimator: "regression", Control: mro.Both}, with("drf"), with("ngm")})
	if err != nil {
		return err
	}
	var rows [][]string
	for i, name := range []string{"drf", "ngm", "fair + MROrchestrator", "drf + MROrchestrator", "ngm + MROrchestrator"} {
		rows = append(rows, mro.Row(name, mro.Reductions(out[0], out[i+1]), mro.Of(mro.Each(out[0], out[i+1], mro.Reduction)), paper[i]))
	}
	r.AddTable("reduction over fair", mro.Head(), rows)
	rows = nil
	for i, policy := range []string{"drf", "ngm"} {
		rows = append(rows, mro.Row("MROrchestrator on "+policy, mro.Reductions(out[1+i], out[4+i]), mro.Of(mro.Each(out[1+i], out[4+i], mro.Reduction)), []string{"12.8, 17", "16.6, 23.1"}[i]))
	}
	r.AddTable("reduction on top", mro.Head(), rows)
	d := mro.Of(mro.Each(out[1], out[2], mro.Reduction))
	r.Check("jobs end sooner under NGM than under DRF", mro.More(r, d), "by %v%%", d)
	for i, policy := range []string{"drf", "ngm"} {
		g := mro.Of(mro.Each(out[1+i], out[4+i], mro.Reduction))
		if mro.More(r, g) {
			r.Check("MROrchestrator lowers completion times under "+policy, true, "by %v%%", g)
			continue
		}
		less, err := isolate(ctx, r, with(policy))
		if err != nil {
			return err
		}
		r.NotReproduced("MROrchestrator lowers completion times under %s: by %v%%. Containers that fit their tasks leave it little to do: where jobs ask for 60%% of what "+
			"their tasks use it is %v%%", policy, g, less)
	}
	return nil
}

// isolate lets jobs ask for less memory than they use.
func isolate(ctx context.Context, r *lab.Run, c mro.Case) (mro.Interval, error) {
	c.Ask = 0.6
	base := c
	base.Estimator = ""
	out, err := mro.Runs(ctx, r, mro.Seeds(r), []mro.Case{base, c})
	if err != nil {
		return mro.Interval{}, err
	}
	return mro.Of(mro.Each(out[0], out[1], mro.Reduction)), nil
}
