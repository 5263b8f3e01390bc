package faw

import (
	"context"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/simulator/fawkes"
)

// faw6Speed makes T 6 s of real time.
const faw6Speed = 10

// faw6Real runs a fifth of WKLD-A on real nodes and, for comparison, in the simulator.
func faw6Real(ctx context.Context, r *lab.Run) error {
	p, work := faw6Workload(wordCount(realMapCPU), mrcluster.ByKind, r.Seed)
	work = Part(Fifth, work)
	p.Nodes = RealNodes
	x := Real{Pool: p, Speed: faw6Speed}
	x.Knobs(r)
	r.Knob("CPU time of a map (s)", realMapCPU)
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
	faw6Report(r, seen)
	found := faw6Find(seen, p.Nodes, work[0].Spec.Core)
	r.AddTable("points", pointsHead("run"), [][]string{found.row("real", res.Reconfigurations),
		faw6Find(simulated, p.Nodes, work[0].Spec.Core).row("simulated", sim.Reconfigurations)})
	faw6Compare(r, []points{found})
	return nil
}
