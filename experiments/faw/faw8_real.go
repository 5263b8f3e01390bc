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
type testbed func(ctx context.Context, x Real, work []fawkes.Workload) (*fawkes.Result, error)

// faw8Real runs a fifth of the first half of WKLD-D on real nodes and, for comparison, in the
// simulator.
func faw8Real(ctx context.Context, r *lab.Run) error {
	m := DAS4().With(WC, ST)
	at := Real{Speed: faw8Speed, Deployed: true}
	at.Pool = faw8Pool(m, nil, "None", r.Seed)
	at.Nodes = RealNodes
	at.Knobs(r)
	r.Knob("slowdown", "relative to the measured time that a job of the same application and size takes alone on the "+
		"same core nodes")
	work := Part(Fifth, WKLDD(m, r.Seed, Hours, Bursts))
	for c := range work {
		work[c].Jobs = slices.DeleteFunc(work[c].Jobs, func(j *trace.Job) bool { return j.Submit >= until })
	}
	r.Knob("arrivals", fmt.Sprintf("the first half of WKLD-D, which lasts %d hour and has %d bursts", Hours, Bursts))
	got, err := faw8Slowdowns(ctx, at, work,
		func(ctx context.Context, x Real, work []fawkes.Workload) (*fawkes.Result, error) {
			return x.Run(ctx, r, work)
		})
	if err != nil {
		return err
	}
	simulated, err := faw8Slowdowns(ctx, at, work,
		func(ctx context.Context, x Real, work []fawkes.Workload) (*fawkes.Result, error) {
			return x.Simulated(ctx, work, nil)
		})
	if err != nil {
		return err
	}
	reportReal(r, got, simulated)
	compareTD(r, got)
	return nil
}

// faw8Slowdowns returns the slowdowns under each policy in realPolicies.
func faw8Slowdowns(ctx context.Context, at Real, work []fawkes.Workload, run testbed) (map[string]*faw8Outcome, error) {
	refs, err := references(ctx, at, work, run)
	if err != nil {
		return nil, err
	}
	got := map[string]*faw8Outcome{}
	for _, policy := range realPolicies {
		at.Policy = policy
		res, err := run(ctx, at, work)
		if err != nil {
			return nil, err
		}
		o := &faw8Outcome{reconf: []float64{float64(res.Reconfigurations)}}
		for c := range work {
			o.slowdown[c] = []float64{Slowdown(res.Clusters[c], work[c], refs)}
		}
		got[policy] = o
	}
	return got, nil
}

// references measures the times of jobs that run alone on the core nodes of an MR-cluster, one job
// for each application and size. On each MR-cluster, the jobs run one after the other.
func references(ctx context.Context, at Real, work []fawkes.Workload, run testbed) (*References, error) {
	refs := at.Model.NewReferences()
	alone := make([]fawkes.Workload, len(work))
	for c := range alone {
		alone[c].Spec = work[c].Spec
	}
	type kind struct {
		name  string
		input int64
	}
	seen, kinds := map[kind]bool{}, 0
	by := map[string]*trace.Job{}
	for _, w := range work {
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
	res, err := run(ctx, at, alone)
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
		rows = append(rows, []string{p, fmt.Sprintf("%.2f", o.cluster(0)), fmt.Sprintf("%.2f", o.cluster(1)),
			fmt.Sprintf("%.2f", o.cluster(2)), fmt.Sprintf("%.2f", o.mean()),
			fmt.Sprintf("%+.0f%%", 100*(o.mean()/got["None"].mean()-1)), faw8Paper[p], fmt.Sprintf("%.0f", o.reconf[0]),
			fmt.Sprintf("%.2f", s.cluster(0)), fmt.Sprintf("%.2f", s.cluster(1)), fmt.Sprintf("%.2f", s.cluster(2)),
			fmt.Sprintf("%+.0f%%", 100*(s.mean()/simulated["None"].mean()-1))})
	}
	r.AddTable("slowdowns", []string{"policy", "c-1", "c-2", "c-3", "mean", "vs. None", "paper", "reconfigurations",
		"c-1 simulated", "c-2", "c-3", "vs. None"}, rows)
	r.AddPlot(bars("Average job slowdown of the MR-clusters, a fifth of WKLD-D on real nodes", realPolicies, got))
}
