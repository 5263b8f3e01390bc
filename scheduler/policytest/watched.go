package policytest

import (
	"fmt"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// The plan of a watched policy checks each order of the policy and what the machine does with the
// order.
type watched struct {
	wrapper
	c *cluster
}

func watch(c *cluster, p scheduler.Policy) scheduler.Policy { return &watched{wrapper{p}, c} }

// Assign implements scheduler.Policy.
func (w *watched) Assign(v scheduler.View, tracker int32, p scheduler.Plan) {
	w.Policy.Assign(v, tracker, &watchedPlan{w.c, v, p})
}

// Tick implements scheduler.Policy.
func (w *watched) Tick(v scheduler.View, p scheduler.Plan) {
	w.Policy.Tick(v, &watchedPlan{w.c, v, p})
}

type watchedPlan struct {
	c *cluster
	v scheduler.View
	p scheduler.Plan
}

// snapshotOf describes the state of the job, tracker, and cluster that an order may change. It
// returns "" if the job or the tracker does not exist.
func snapshotOf(v scheduler.View, seq, tracker int32) string {
	j, t := v.Job(seq), v.Tracker(tracker)
	if j == nil || t == nil {
		return ""
	}
	return fmt.Sprint(j.State, j.Pending, j.Running, j.Finished, t.Used, t.UsedMemory, t.UsedVCores, v.Cluster())
}

// Launch implements scheduler.Plan.
func (p *watchedPlan) Launch(task job.Task, tracker int32, slot job.TaskType) bool {
	j, t := p.v.Job(task.Job), p.v.Tracker(tracker)
	before := snapshotOf(p.v, task.Job, tracker)
	wants := j != nil && j.Wants(task.Type)
	ok := p.p.Launch(task, tracker, slot)
	switch {
	case ok && !wants:
		p.c.failf("%v was launched although its job needs no task", task)
	case !ok && snapshotOf(p.v, task.Job, tracker) != before:
		p.c.failf("the rejected launch of %v changed something", task)
	case ok && slot <= job.Reduce && t.Used[slot] > t.Slots[slot]:
		p.c.failf("tracker %d uses %d of %d slots", tracker, t.Used[slot], t.Slots[slot])
	}
	return ok
}

// Kill implements scheduler.Plan.
func (p *watchedPlan) Kill(a job.Attempt, why string) bool {
	if why == "" {
		p.c.failf("%v was killed without a reason", a)
	}
	return p.p.Kill(a, why)
}
