package policytest

import (
	"testing"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
)

// Alloc fails the test if the policy allocates memory for decisions in the steady state with a
// thousand waiting jobs. It tolerates one allocation per 100 heartbeats.
func Alloc(t *testing.T, o Options) {
	const beats = 500
	own, launches := o.withDefaults().garbage(1000, beats)
	if launches == 0 {
		t.Fatal("the policy launched nothing")
	}
	if limit := beats / 100.0; own > limit { // allow the occasional growth of a list
		t.Errorf("%g allocations in %d beats, want none", own, beats)
	}
}

// garbage counts the allocations of a series of heartbeats, once with the policy and once with a
// puppet that replays the policy's orders. It returns the difference, which is the number of the
// policy's own allocations. It also returns how many launches it recorded for the puppet.
func (o Options) garbage(jobs, beats int) (own float64, launches int) {
	r := &recorder{inner: o.New()}
	s := newSteady(o, jobs, true, r)
	for range 2 * beats {
		s.beat(true)
	}
	count := func(p scheduler.Policy) float64 {
		s := newSteady(o, jobs, true, p)
		return testing.AllocsPerRun(1, func() {
			for range beats {
				s.beat(true)
			}
		})
	}
	return count(o.New()) - count(&puppet{calls: r.calls, due: r.due, containers: usesContainers(r.inner)}), r.launches
}

// A recorder records a policy's orders, grouped by the call that issued them.
type recorder struct {
	inner    scheduler.Policy
	plan     scheduler.Plan
	calls    [][]order
	due      []int64 // results of NextDeadline, in call order
	launches int
}

// An order is a launch of task, or a kill of attempt if kill is set.
type order struct {
	task    job.Task
	tracker int32
	slot    job.TaskType
	kill    bool
	attempt job.Attempt
	why     string
}

// Reset implements scheduler.Policy.
func (r *recorder) Reset(v scheduler.View) { r.inner.Reset(v) }

// Observe implements scheduler.Policy.
func (r *recorder) Observe(v scheduler.View, e *event.Event) { r.inner.Observe(v, e) }

// Assign implements scheduler.Policy.
func (r *recorder) Assign(v scheduler.View, tracker int32, plan scheduler.Plan) {
	r.calls, r.plan = append(r.calls, nil), plan
	r.inner.Assign(v, tracker, r)
}

// NextDeadline implements scheduler.Policy.
func (r *recorder) NextDeadline() int64 {
	r.due = append(r.due, r.inner.NextDeadline())
	return r.due[len(r.due)-1]
}

// Tick implements scheduler.Policy.
func (r *recorder) Tick(v scheduler.View, plan scheduler.Plan) {
	r.calls, r.plan = append(r.calls, nil), plan
	r.inner.Tick(v, r)
}

// UsesContainers implements scheduler.ContainerUser.
func (r *recorder) UsesContainers() bool { return usesContainers(r.inner) }

// Launch implements scheduler.Plan.
func (r *recorder) Launch(t job.Task, tracker int32, slot job.TaskType) bool {
	if !r.plan.Launch(t, tracker, slot) {
		return false
	}
	r.launches++
	r.note(order{task: t, tracker: tracker, slot: slot})
	return true
}

// Kill implements scheduler.Plan.
func (r *recorder) Kill(a job.Attempt, why string) bool {
	if !r.plan.Kill(a, why) {
		return false
	}
	r.note(order{kill: true, attempt: a, why: why})
	return true
}

func (r *recorder) note(o order) {
	last := &r.calls[len(r.calls)-1]
	*last = append(*last, o)
}

// A puppet replays recorded orders and deadlines.
type puppet struct {
	calls      [][]order
	due        []int64
	containers bool
}

// Reset implements scheduler.Policy.
func (*puppet) Reset(scheduler.View) {}

// Observe implements scheduler.Policy.
func (*puppet) Observe(scheduler.View, *event.Event) {}

// NextDeadline implements scheduler.Policy.
func (p *puppet) NextDeadline() int64 {
	at := p.due[0]
	p.due = p.due[1:]
	return at
}

// Tick implements scheduler.Policy.
func (p *puppet) Tick(_ scheduler.View, plan scheduler.Plan) { p.order(plan) }

// UsesContainers implements scheduler.ContainerUser.
func (p *puppet) UsesContainers() bool { return p.containers }

// Assign implements scheduler.Policy.
func (p *puppet) Assign(_ scheduler.View, _ int32, plan scheduler.Plan) { p.order(plan) }

func (p *puppet) order(plan scheduler.Plan) {
	for _, o := range p.calls[0] {
		if o.kill {
			plan.Kill(o.attempt, o.why)
		} else {
			plan.Launch(o.task, o.tracker, o.slot)
		}
	}
	p.calls = p.calls[1:]
}
