package policytest

import (
	"fmt"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
)

// A watched policy forwards all calls to another policy. Its plan checks each order of that policy
// and what the machine does with the order.
type watched struct {
	c     *cluster
	inner scheduler.Policy
}

// Reset implements scheduler.Policy.
func (w *watched) Reset(v scheduler.View) { w.inner.Reset(v) }

// Observe implements scheduler.Policy.
func (w *watched) Observe(v scheduler.View, e *event.Event) { w.inner.Observe(v, e) }

// Assign implements scheduler.Policy.
func (w *watched) Assign(v scheduler.View, tracker int32, p scheduler.Plan) {
	w.inner.Assign(v, tracker, &watchedPlan{w.c, v, p})
}

// NextDeadline implements scheduler.Policy.
func (w *watched) NextDeadline() int64 { return w.inner.NextDeadline() }

// Tick implements scheduler.Policy.
func (w *watched) Tick(v scheduler.View, p scheduler.Plan) {
	w.inner.Tick(v, &watchedPlan{w.c, v, p})
}

// UsesContainers implements scheduler.ContainerUser.
func (w *watched) UsesContainers() bool { return scheduler.UsesContainers(w.inner) }

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
