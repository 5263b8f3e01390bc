package faw

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/simulator/fawkes"
)

// faw6Speed makes T 6 s of real time.
const faw6Speed = 10

// faw6Real runs a fifth of WKLD-A on real nodes and, for comparison, in the simulator. All times are
// those of the simulated experiment.
func faw6Real(ctx context.Context, r *lab.Run) error {
	var found [RealRuns]points
	rows := make([][]string, 2*RealRuns)
	x := Real{Speed: faw6Speed}
	x.Pool, _ = faw6Workload(WC, mrcluster.ByKind, r.Seed)
	x.Nodes = RealNodes
	x.Knobs(r)
	r.Knob("CPU time of a map (s)", WC.Stages[0].CPU)
	var first []fawkes.Moment
	err := Repeat(ctx, r, RealRuns, func(ctx context.Context, r *lab.Run, i int) error {
		p, work := faw6Workload(WC, mrcluster.ByKind, r.Seed)
		work = Part(Fifth, work)
		x := x
		x.Pool = p
		x.Nodes = RealNodes
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
		if i == 0 {
			first = seen
		}
		core := work[0].Spec.Core
		found[i] = faw6Find(seen, x.Nodes, core)
		rows[2*i] = found[i].row(fmt.Sprintf("%d, real", r.Seed), res.Reconfigurations)
		rows[2*i+1] = faw6Find(simulated, x.Nodes, core).row(fmt.Sprintf("%d, simulated", r.Seed), sim.Reconfigurations)
		return nil
	})
	if err != nil {
		return err
	}
	faw6Report(r, first)
	r.AddTable("points", pointsHead("seed"), rows)
	faw6Compare(r, found[:])
	return nil
}
