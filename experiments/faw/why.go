package faw

import (
	"context"
	"slices"

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

	r.Knob("waiting tasks", "include running tasks")
	m = DAS4().With(WC, ST, TT, AH)
	o, err := faw9Run(ctx, m, m.NewReferences(), faw9Cell{policy: "TD", reading: running}, r.Seed)
	if err != nil {
		return err
	}
	r.Executions++
	r.Compare("unfinished-few-D", lab.Exact(float64(o.reconf)), "TD")
	if err := whyE(ctx, r); err != nil {
		return err
	}
	return whyLink(ctx, r)
}

// whyE repeats FAW-9's run of WKLD-E under TD with seeds that no other run uses.
func whyE(ctx context.Context, r *lab.Run) error {
	seeds := 10
	if r.Quick {
		seeds = 2
	}
	r.Knob("seeds of WKLD-E", seeds)
	m := DAS4().With(WC, ST, BTWorld.App("BT"))
	refs := m.NewReferences()
	n := make([]int, seeds)
	err := lab.Parallel(ctx, r.Workers, seeds, func(ctx context.Context, i int) error {
		o, err := faw9Run(ctx, m, refs, faw9Cell{e: true, policy: "TD"}, r.Seed+10+uint64(i))
		if err == nil {
			n[i] = o.reconf
		}
		return err
	})
	if err != nil {
		return err
	}
	r.Executions += seeds
	r.Compare("seeds-few-E", lab.Exact(float64(slices.Max(n))), "%d seeds: %d", seeds, n)
	return nil
}

// whyLink repeats FAW-3 with half of the bandwidth between the physical clusters.
func whyLink(ctx context.Context, r *lab.Run) error {
	r.Knob("bandwidth between the physical clusters (MB/s)", wan/2)
	one, two := DAS4(), DAS4()
	one.Workers, two.Workers, two.WAN = r.Workers, r.Workers, wan/2
	for _, x := range [][2]string{{"link-ST", ST.Name}, {"link-BT", bt}} {
		near, far, err := faw3Times(ctx, r, one, two, x[1])
		if err != nil {
			return err
		}
		r.Compare(x[0], lab.Ratio(far, near).Scale(-100, 100), "%s", x[1])
	}
	return nil
}
