package policytest

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
)

// watched passes everything on to a policy, with a plan that checks each of its orders before and after it is carried out.
type watched struct {
	t     *rapid.T
	inner scheduler.Policy
}

// Reset implements scheduler.Policy.
func (w *watched) Reset(v scheduler.View) { w.inner.Reset(v) }

// Observe implements scheduler.Policy.
func (w *watched) Observe(v scheduler.View, e *event.Event) { w.inner.Observe(v, e) }

// Assign implements scheduler.Policy.
func (w *watched) Assign(v scheduler.View, tracker int32, p scheduler.Plan) {
	w.inner.Assign(v, tracker, &watchedPlan{w.t, v, p})
}

// NextDeadline implements scheduler.Policy.
func (w *watched) NextDeadline() int64 { return w.inner.NextDeadline() }

// Tick implements scheduler.Policy.
func (w *watched) Tick(v scheduler.View, p scheduler.Plan) { w.inner.Tick(v, &watchedPlan{w.t, v, p}) }

type watchedPlan struct {
	t *rapid.T
	v scheduler.View
	p scheduler.Plan
}

// snapshotOf notes what an order may change.
func snapshotOf(v scheduler.View, seq, tracker int32) string {
	j, t := v.Job(seq), v.Tracker(tracker)
	if j == nil || t == nil {
		return ""
	}
	return fmt.Sprint(j.State, j.Pending, j.Running, j.Finished, t.Used, v.Cluster())
}

// Launch implements scheduler.Plan.
func (p *watchedPlan) Launch(task job.Task, tracker int32, slot job.TaskType) bool {
	j, t := p.v.Job(task.Job), p.v.Tracker(tracker)
	before := snapshotOf(p.v, task.Job, tracker)
	wants := j != nil && j.Wants(task.Type)
	free := t != nil && slot <= job.Reduce && t.Free(slot) > 0
	ok := p.p.Launch(task, tracker, slot)
	switch {
	case ok && !free:
		p.t.Fatalf("%v was launched on tracker %d, which has no free slot of kind %v", task, tracker, slot)
	case ok && !wants:
		p.t.Fatalf("%v was launched though its job wants none", task)
	case !ok && snapshotOf(p.v, task.Job, tracker) != before:
		p.t.Fatalf("the launch of %v was refused and yet changed something", task)
	case ok && t.Used[slot] > t.Slots[slot]:
		p.t.Fatalf("tracker %d uses %d of %d slots", tracker, t.Used[slot], t.Slots[slot])
	}
	return ok
}

// Kill implements scheduler.Plan.
func (p *watchedPlan) Kill(a job.Attempt, why string) bool {
	if why == "" {
		p.t.Fatalf("%v was killed without a reason", a)
	}
	return p.p.Kill(a, why)
}
