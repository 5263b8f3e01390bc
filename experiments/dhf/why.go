package dhf

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
)

// why shows why effects of DHF-1, DHF-2, and DHF-5 are far from the paper's values. It changes one
// suspected cause.
var why = &lab.Experiment{ID: "DHF-why", Paper: Paper, BibTeX: BibTeX, Sim: whySim}

// whyReduces is the number of reduces of sort that the disk of a node serves at full speed.
const whyReduces = 3

func whySim(ctx context.Context, r *lab.Run) error {
	repeat := 20
	if r.Quick {
		repeat = 3
	}
	r.Knob("task time", measuredText)
	r.Knob("distribution of task times", fmt.Sprintf("lognormal with sigma %g in %d repetitions", noise, repeat))
	r.Knob("shared disk", fmt.Sprintf("serves %d reduces of sort at full speed; more of them share it equally",
		whyReduces))
	r.Knob("speedup", speedup)
	shared := func(policies []lab.Policy, work ...Work) (Times, error) {
		return Testbed().sharing(whyReduces, work...).Repeat(ctx, r, policies, repeat, work...)
	}
	f := newFigure4("shared disk", "jobs", "32-55% for J2, 44-68% otherwise")
	for _, x := range []struct {
		id   string
		work []Work
	}{
		{"J2", dhf1Jobs(noise)[1:2]}, {"5-0.05", workload(5, 0.05)}, {"10-0.05", workload(10, 0.05)},
		{"5-1", workload(5, 1)}, {"10-1", workload(10, 1)},
	} {
		t, err := shared(Policies, x.work...)
		if err != nil {
			return err
		}
		f.add(r, x.id, x.id, t)
	}
	f.table(r)
	t, err := shared([]lab.Policy{{Name: "pi-dhfs", Set: percentages(0, 0)}, {Name: "pi-dhfs", Set: percentages(100, 0)}},
		Measured(2, 1, noise))
	if err == nil {
		r.Compare("pecm", lab.IntervalOf(gains(t)), "PecR = 0")
	}
	return err
}
