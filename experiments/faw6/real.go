package faw6

import (
	"context"

	"github.com/howdah/howdah/experiments/faw"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/simulator/fawkes"
)

// speed makes T 6 s.
const speed = 10

// real runs a fifth of WKLD-A on real nodes, and beside it in the simulator.
func real(ctx context.Context, r *lab.Run) error {
	p, work := workload(wordCount(mapCPU), mrcluster.ByKind, r.Seed)
	work = faw.Part(faw.Fifth, work)
	p.Nodes = faw.RealNodes
	x := faw.Real{Pool: p, Speed: speed}
	x.Knobs(r)
	r.Knob("CPU of a map (s)", mapCPU)
	var seen, simulated []fawkes.Moment
	x.Watch = func(m fawkes.Moment) { seen = append(seen, m) }
	res, err := x.Run(ctx, r, work)
	if err != nil {
		return err
	}
	sim, err := x.Simulated(ctx, work, func(m fawkes.Moment) { simulated = append(simulated, m) })
	if err != nil {
		return err
	}
	report(r, seen)
	found := find(seen, p.Nodes, work[0].Spec.Core)
	r.AddTable("points", pointsHead("run"), [][]string{found.row("real", res.Reconfigurations), find(simulated, p.Nodes, work[0].Spec.Core).row("simulated", sim.Reconfigurations)})
	check(r, []points{found})
	return nil
}
