package playground

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/adaptive"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/replay"
	"github.com/howdah/howdah/simulator/trace"
)

// heartbeat is the interval between heartbeats in ms. TaskTrackers also report news immediately.
const heartbeat = 1000

// settings are those of the policies. The adaptive schedulers plan often enough for short runs, and
// know how long tasks take.
var settings = map[string]string{
	conf.AdaptiveCycle.Name:              "1000",
	conf.AdaptiveTaskLength.Name:         "profile",
	conf.AdaptiveCapacityEnforcedBy.Name: adaptive.ByTrackers,
}

// policy makes the request's policy. It knows f(t).
func (r *Request) policy() (scheduler.Policy, error) {
	if !slices.Contains(policies(), r.Policy) {
		return nil, bad("policy "+r.Policy, "want one of %s", strings.Join(policies(), ", "))
	}
	c := conf.New()
	for k, v := range settings {
		c.Set(k, v, "playground")
	}
	setup := scheduler.Setup{Conf: c}
	if len(r.Capacity) > 0 {
		setup.Files = []scheduler.File{{Key: conf.AdaptiveCapacityFile.Name, Path: "f(t)", Data: []byte(r.curve())}}
	}
	p, _, err := catalog.Builtin().Make(r.Policy, setup)
	return p, err
}

// curve returns f(t) in the form that the adaptive schedulers read: points with straight lines
// between them.
func (r *Request) curve() string {
	var b strings.Builder
	fmt.Fprintf(&b, "period %ds\norigin %d\nstep %ds\n", r.Period, replay.Epoch, r.Period)
	for i, l := range r.Capacity {
		if i > 0 {
			fmt.Fprintf(&b, "%dms %g\n", 1000*l.At-1, r.Capacity[i-1].Share)
		}
		fmt.Fprintf(&b, "%dms %g\n", 1000*l.At, l.Share)
	}
	fmt.Fprintf(&b, "%ds %g\n", r.Period, r.Capacity[len(r.Capacity)-1].Share)
	return b.String()
}

// plan takes away the slots that f(t) does not leave.
func (r *Request) plan() *simulator.Plan {
	if len(r.Capacity) == 0 {
		return nil
	}
	p := &simulator.Plan{}
	for from := int64(0); from < 2*maxTime; from += r.Period {
		for _, l := range r.Capacity {
			p.Loads = append(p.Loads, simulator.Load{At: 1000 * (from + l.At), Share: 1 - l.Share, Slots: true})
		}
	}
	return p
}

// trace returns the jobs of a group, or all if group is "", in the order of their submission.
func (r *Request) trace(group string) *trace.Trace {
	t := &trace.Trace{Name: "playground", Origin: "generated"}
	for i := range r.Jobs {
		if x := &r.Jobs[i]; group == "" || x.Group == group {
			t.Jobs = append(t.Jobs, x.trace())
		}
	}
	slices.SortStableFunc(t.Jobs, func(a, b *trace.Job) int { return cmp.Compare(a.Submit, b.Submit) })
	return t
}

func (x *Job) trace() *trace.Job {
	j := &trace.Job{ID: x.Name, Name: x.Name, User: cmp.Or(x.Group, "default"), State: job.Succeeded,
		Submit: 1000 * x.Submit, Deadline: 1000 * x.Deadline,
		Maps: make([]trace.Map, x.Maps), Reduces: make([]trace.Reduce, x.Reduces),
		Conf: []job.Property{{Name: conf.FairSchedulerPool.Name, Value: cmp.Or(x.Group, "default")},
			{Name: conf.JobReduceSlowStartCompletedMaps.Name, Value: "1"}}}
	for i := range j.Maps {
		j.Maps[i].Time = 1000 * x.MapTime
	}
	for i := range j.Reduces {
		j.Reduces[i].Time = 1000 * x.ReduceTime
	}
	return j
}

// runCluster runs the jobs on one cluster.
func (r *Request) runCluster(ctx context.Context) (*Timeline, error) {
	p, err := r.policy()
	if err != nil {
		return nil, err
	}
	t := &Timeline{Jobs: make([]JobLine, len(r.Jobs))}
	s := newSampler(t, r, p)
	result, err := simulator.Run(ctx, simulator.Config{Trackers: r.Nodes, Slots: r.Slots, Heartbeat: heartbeat,
		WaitForWork: true, Seed: 1, Scheduler: r.Policy, Policy: p, Plan: r.plan(), SampleEvery: sampleEvery,
		Sample: s.sample}, r.trace("").Source())
	if err != nil {
		return nil, err
	}
	t.take(r, result.Jobs)
	return t, nil
}
