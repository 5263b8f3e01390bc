package playground

import (
	"context"
	"slices"

	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/weight"
	"github.com/howdah/howdah/simulator/fawkes"
	"github.com/howdah/howdah/simulator/trace"
)

// Times of a pool in ms. The manager considers moving nodes every interval. Because discrimination is
// at most the interval, the threshold shrinks with its square.
const (
	interval  = 20_000
	nodeStart = 5000
	idleAfter = 60_000
)

// runPool runs the jobs on MR-clusters that share the nodes.
func (r *Request) runPool(ctx context.Context) (*Timeline, error) {
	if len(r.Capacity) > 0 {
		return nil, bad("capacity", "a pool of MR-clusters has no f(t)")
	}
	if _, err := r.policy(); err != nil {
		return nil, err
	}
	w, err := weight.New(r.Weights, weight.Defaults())
	if err != nil {
		return nil, err
	}
	m := mrcluster.DefaultConfig()
	m.Threshold *= float64(interval*interval) / float64(m.Interval*m.Interval)
	m.Interval, m.IdleAfter, m.Grow = interval, idleAfter, mrcluster.Transient
	t := &Timeline{Jobs: make([]JobLine, len(r.Jobs))}
	watch := clock{t: t}
	c := fawkes.Config{Nodes: r.Nodes, Slots: r.Slots, Manager: m, Weighting: w, Policy: r.policy,
		Heartbeat: heartbeat, Start: nodeStart, Sample: sampleEvery, Seed: 1, Watch: func(x fawkes.Moment) {
			if watch.keep() {
				t.addClusters(&x, watch.n)
				watch.n++
			}
		}}
	var work []fawkes.Workload
	for _, x := range r.Clusters {
		t.Clusters = append(t.Clusters, ClusterLine{Name: x.Name})
		work = append(work, fawkes.Workload{Spec: mrcluster.Spec{Name: x.Name, Core: x.Core}, Jobs: r.trace(x.Name).Jobs})
	}
	result, err := fawkes.Run(ctx, c, work)
	if err != nil {
		return nil, err
	}
	var jobs []trace.JobResult
	for i := range result.Clusters {
		jobs = append(jobs, result.Clusters[i].Jobs...)
	}
	t.take(r, jobs)
	return t, nil
}

// addClusters adds a sample of the pool.
func (t *Timeline) addClusters(x *fawkes.Moment, n int) {
	for i := range t.Clusters {
		c, jobs := &t.Clusters[i], int32(x.Queue[i])
		k := slices.IndexFunc(x.View.Clusters, func(v mrcluster.ClusterView) bool { return v.Spec.Name == c.Name })
		v := mrcluster.ClusterView{} // of an MR-cluster that has been removed
		if k >= 0 {
			v = x.View.Clusters[k]
		}
		c.Nodes, c.Jobs = append(grown(c.Nodes, n), int32(v.Held+v.Leaving)), append(grown(c.Jobs, n), jobs)
		c.Running = append(grown(c.Running, n), int32(v.Sample.RunningTasks))
		c.Waiting = append(grown(c.Waiting, n), int32(v.Sample.WaitingTasks))
		c.Weight = append(c.Weight, v.Weight)
	}
}
