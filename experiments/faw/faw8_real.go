package faw

import (
	"context"
	"fmt"
	"slices"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/simulator/fawkes"
	"github.com/howdah/howdah/simulator/trace"
)

// faw8Speed makes T 6 s of real time. until is the time, in ms, when arrivals end. It is half of
// the workload's length, so the runs include one of the two bursts.
const (
	faw8Speed = 20
	until     = Hours * 3_600_000 / 2
)

// realPolicies are the policies that the relations compare.
var realPolicies = []string{"None", "EQ", "TD"}

// testbed runs workloads on real nodes or in the simulator.
type testbed func(ctx context.Context, r *lab.Run, x Real, work []fawkes.Workload) (*fawkes.Result, error)

func onReal(ctx context.Context, r *lab.Run, x Real, work []fawkes.Workload) (*fawkes.Result, error) {
	return x.Run(ctx, r, work)
}

func inSimulator(ctx context.Context, _ *lab.Run, x Real, work []fawkes.Workload) (*fawkes.Result, error) {
	return x.Simulated(ctx, work, nil)
}

// faw8Real runs a fifth of the first half of WKLD-D with sleeping tasks on real nodes and, for
// comparison, in the simulator.
func faw8Real(ctx context.Context, r *lab.Run) error {
	at := Real{Speed: faw8Speed, Deployed: true, Pool: faw8Pool(DAS4().With(WC, ST), nil, "None", r.Seed)}
	at.Nodes = RealNodes
	at.Knobs(r)
	r.Knob("slowdown", "relative to the measured time that a job of the same application and size takes alone on the "+
		"same core nodes")
	r.Knob("arrivals", fmt.Sprintf("the first half of WKLD-D, which lasts %d hour and has %d bursts", Hours, Bursts))
	got, err := faw8Slowdowns(ctx, r, at, onReal)
	if err != nil {
		return err
	}
	simulated, err := faw8Slowdowns(ctx, r, at, inSimulator)
	if err != nil {
		return err
	}
	reportReal(r, got, simulated)
	compareTD(r, got)
	return nil
}

// faw8Slowdowns returns the slowdowns under each policy in realPolicies, by repetition.
func faw8Slowdowns(ctx context.Context, r *lab.Run, at Real, run testbed) (map[string]*faw8Outcome, error) {
	var works [RealRuns][]fawkes.Workload
	for i := range works {
		works[i] = Part(Fifth, WKLDD(at.Model, r.Seed+uint64(i), Hours, Bursts))
		for c, w := range works[i] {
			works[i][c].Jobs = slices.DeleteFunc(w.Jobs, func(j *trace.Job) bool { return j.Submit >= until })
		}
	}
	refs, err := references(ctx, r, at, works[:], run)
	if err != nil {
		return nil, err
	}
	got := map[string]*faw8Outcome{}
	for _, policy := range realPolicies {
		o := newOutcome(RealRuns)
		err := Repeat(ctx, r, RealRuns, func(ctx context.Context, r *lab.Run, i int) error {
			at := at
			at.Policy, at.Seed = policy, r.Seed
			res, err := run(ctx, r, at, works[i])
			if err != nil {
				return err
			}
			for c := range works[i] {
				o.slowdown[c][i] = Slowdown(res.Clusters[c], works[i][c], refs)
			}
			o.reconf[i] = float64(res.Reconfigurations)
			return nil
		})
		if err != nil {
			return nil, err
		}
		got[policy] = o
	}
	return got, nil
}

// references measures the times of jobs that run alone on the core nodes of an MR-cluster, one job
// for each application and size. On each MR-cluster, the jobs run one after the other.
func references(ctx context.Context, r *lab.Run, at Real, works [][]fawkes.Workload,
	run testbed) (*References, error) {
	refs := at.Model.NewReferences()
	alone := make([]fawkes.Workload, len(works[0]))
	for c := range alone {
		alone[c].Spec = works[0][c].Spec
	}
	type kind struct {
		name  string
		input int64
	}
	seen, kinds := map[kind]bool{}, 0
	by := map[string]*trace.Job{}
	for _, w := range slices.Concat(works...) {
		for _, j := range w.Jobs {
			if k := (kind{j.Name, j.Input}); !seen[k] {
				seen[k] = true
				one := *j
				to := &alone[kinds%len(alone)]
				kinds++
				one.Submit = 0
				if n := len(to.Jobs); n > 0 {
					one.Submit = to.Jobs[n-1].Submit + longest(to.Jobs[n-1], to.Spec.Core)
				}
				to.Jobs = append(to.Jobs, &one)
				by[one.ID] = &one
			}
		}
	}
	at.Policy = "None"
	res, err := run(ctx, r, at, alone)
	if err != nil {
		return nil, err
	}
	for _, d := range res.Clusters {
		for i := range d.Jobs {
			refs.Measured(by[d.Jobs[i].ID], d.Jobs[i].Finish-d.Jobs[i].Submit)
		}
	}
	return refs, nil
}

// longest returns a generous estimate, in ms, of the time that job j takes if it runs alone. core
// is the number of core nodes.
func longest(j *trace.Job, core int) int64 {
	work := [2]int64{}
	for i := range j.Maps {
		work[0] += j.Maps[i].Time
	}
	for i := range j.Reduces {
		work[1] += j.Reduces[i].Shuffle + j.Reduces[i].Time
	}
	t := int64(120_000)
	for k, w := range work {
		t += 2 * w / int64(core) / int64(Slots[k])
	}
	return t
}

func reportReal(r *lab.Run, got, simulated map[string]*faw8Outcome) {
	var rows [][]string
	for _, p := range realPolicies {
		o, s := got[p], simulated[p]
		row := []string{p}
		for c := range o.slowdown {
			row = append(row, lab.IntervalOf(o.slowdown[c]).Fine())
		}
		rows = append(rows, append(row, lab.IntervalOf(o.means()).Fine(),
			fmt.Sprintf("%+.0f%%", 100*(o.mean()/got["None"].mean()-1)), faw8Paper[p],
			lab.Span("%.0f", slices.Min(o.reconf), slices.Max(o.reconf)), fmt.Sprintf("%.2f", s.cluster(0)),
			fmt.Sprintf("%.2f", s.cluster(1)), fmt.Sprintf("%.2f", s.cluster(2)),
			fmt.Sprintf("%+.0f%%", 100*(s.mean()/simulated["None"].mean()-1))))
	}
	r.AddTable("slowdowns", []string{"policy", "c-1", "c-2", "c-3", "mean", "vs. None", "paper", "reconfigurations",
		"c-1 simulated", "c-2", "c-3", "vs. None"}, rows)
	r.AddPlot(bars("Average job slowdown of the MR-clusters, a fifth of WKLD-D on real nodes", realPolicies, got))
}
