package faw

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/simulator/fawkes"
)

// why shows why effects of FAW-2, FAW-3, and FAW-9 are far from the paper's values. Each relation changes one
// suspected cause.
var why = &lab.Experiment{ID: "FAW-why", Paper: Paper, BibTeX: BibTeX, Sim: whySim}

func whySim(ctx context.Context, r *lab.Run) error {
	m := DAS4()
	m.Workers, m.Replicas = r.Workers, 1
	if !r.Quick {
		m.Repeat = faw2Repeat
	}
	r.Knob("replicas for which Sort's reduces wait", "1 of 3; nodes with 24 GB of memory can keep the others in the page "+
		"cache and write them later")
	var s [clusters][]float64
	for i, c := range []fawkes.Composition{core, tr, tc} {
		var err error
		if s[i], err = m.Each(ctx, ST, c); err != nil {
			return err
		}
		r.Executions += m.Runs()
	}
	over := overheads(s)
	r.Compare("cached-TR-TC-ST", lab.Ratio(minus(s[1], s[2]), s[0]).Scale(0, 100), "TR %s%%, TC %s%%", over[0], over[1])

	r.Knob("waiting tasks", "with WKLD-D, include running tasks")
	m = DAS4().With(WC, ST, BTWorld.App("BT"))
	refs := m.NewReferences()
	o, err := faw9Run(ctx, m, refs, faw9Cell{policy: "TD", reading: running}, r.Seed)
	if err != nil {
		return err
	}
	r.Executions++
	r.Compare("unfinished-few-D", lab.Exact(float64(o.reconf)), "TD")

	const longer = 2 // hours
	r.Knob("arrivals with WKLD-E", fmt.Sprintf("over %d hours instead of %d, ten seeds", longer, Hours))
	seeds := 10
	if r.Quick {
		seeds = 3
	}
	moves := make([]float64, seeds)
	err = lab.Parallel(ctx, r.Workers, seeds, func(ctx context.Context, i int) error {
		o, err := faw9Run(ctx, m, refs, faw9Cell{e: true, policy: "TD", hours: longer}, r.Seed+uint64(i))
		if err == nil {
			moves[i] = float64(o.reconf)
		}
		return err
	})
	if err != nil {
		return err
	}
	r.Executions += seeds
	r.Compare("hours-few-E", lab.IntervalOf(moves), "%v", moves)
	return whyLinks(ctx, r)
}

// whyLinks divides the bandwidth between the physical clusters of FAW-3, so that Sort and BTWorld take
// about as much longer as the paper's limit allows.
func whyLinks(ctx context.Context, r *lab.Run) error {
	one := DAS4()
	one.Workers = r.Workers
	for _, x := range []struct {
		id, app string
		divisor float64
	}{{"link-ST", ST.Name, 2}, {"link-BT", bt, 3}} {
		two := one
		two.WAN = wan / x.divisor
		r.Knob("bandwidth for "+x.app, fmt.Sprintf("%.0f MB/s instead of %d MB/s", two.WAN, wan))
		near, far, err := faw3Times(ctx, r, one, two, x.app)
		if err != nil {
			return err
		}
		r.Compare(x.id, lab.Ratio(far, near).Scale(-100, 100), "%s", x.app)
	}
	return nil
}
