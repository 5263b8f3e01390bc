package policytest

import (
	"testing"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
)

// Cost tests the cost of a policy's decisions in the steady state with a thousand waiting jobs.
// Decisions must not allocate memory, apart from one allocation per 100 heartbeats. Decisions must
// also not look at every waiting job, even if no task fits. Only a Tick may look at every waiting
// job, because a placement cycle has to.
func Cost(t *testing.T, o Options) {
	const beats = 500
	o = o.withDefaults()
	checkGarbage(t, o)
	if n := o.looks(1000, beats) / beats; n > mostLooks {
		t.Errorf("a heartbeat looks at %d jobs, want at most %d", n, mostLooks)
	}
}

func checkGarbage(t *testing.T, o Options) {
	const beats = 500
	own, launches := o.garbage(1000, beats)
	if launches == 0 {
		t.Fatal("the policy launched nothing")
	}
	if limit := beats / 100.0; own > limit { // allow the occasional growth of a list
		t.Errorf("%g allocations in %d beats, want none", own, beats)
	}
}

// mostLooks is the maximum number of questions about jobs that a policy may ask in a heartbeat of a
// tracker with six slots.
const mostLooks = 100

// looks counts a policy's questions about jobs during a series of heartbeats. In each heartbeat,
// one task has ended. Reduce slots are free, but only maps wait.
func (o Options) looks(jobs, beats int) int {
	r := &recorder{wrapper: wrapper{o.New()}}
	s := newSteady(o, jobs, steadyTasks/jobs, false, r)
	r.looks = 0
	for range beats {
		s.beat(true)
	}
	return r.looks
}

// garbage counts the allocations of a series of heartbeats, once with the policy and once with a
// puppet that replays the policy's orders. It returns the difference, which is the number of the
// policy's own allocations. It also returns how many launches it recorded for the puppet.
func (o Options) garbage(jobs, beats int) (own float64, launches int) {
	r := &recorder{wrapper: wrapper{o.New()}}
	s := newSteady(o, jobs, steadyTasks/jobs, true, r)
	for range 2 * beats {
		s.beat(true)
	}
	count := func(p scheduler.Policy) float64 {
		s := newSteady(o, jobs, steadyTasks/jobs, true, p)
		return testing.AllocsPerRun(1, func() {
			for range beats {
				s.beat(true)
			}
		})
	}
	replay := &puppet{calls: r.calls, due: r.due, containers: r.UsesContainers()}
	return count(o.New()) - count(replay), r.launches
}

// A recorder records a policy's orders, grouped by the call that issued them.
type recorder struct {
	wrapper
	plan     scheduler.Plan
	calls    [][]order
	due      []int64 // results of NextDeadline, in call order
	launches int
	looks    int // questions about jobs, outside of Tick
}

// A view is a scheduler.View that counts a policy's questions about jobs.
type view struct {
	scheduler.View
	looks *int
}

// Jobs implements scheduler.View. It counts a question about each job.
func (v view) Jobs() []int32 {
	jobs := v.View.Jobs()
	*v.looks += len(jobs)
	return jobs
}

// Job implements scheduler.View.
func (v view) Job(seq int32) *scheduler.Job {
	*v.looks++
	return v.View.Job(seq)
}

// PickMap implements scheduler.View.
func (v view) PickMap(seq, tracker int32, farthest job.Locality) (int32, job.Locality, bool) {
	*v.looks++
	return v.View.PickMap(seq, tracker, farthest)
}

// PickReduce implements scheduler.View.
func (v view) PickReduce(seq, tracker int32) (int32, bool) {
	*v.looks++
	return v.View.PickReduce(seq, tracker)
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

// Observe implements scheduler.Policy.
func (r *recorder) Observe(v scheduler.View, e *event.Event) { r.Policy.Observe(view{v, &r.looks}, e) }

// Assign implements scheduler.Policy.
func (r *recorder) Assign(v scheduler.View, tracker int32, plan scheduler.Plan) {
	r.calls, r.plan = append(r.calls, nil), plan
	r.Policy.Assign(view{v, &r.looks}, tracker, r)
}

// NextDeadline implements scheduler.Policy.
func (r *recorder) NextDeadline() int64 {
	r.due = append(r.due, r.Policy.NextDeadline())
	return r.due[len(r.due)-1]
}

// Tick implements scheduler.Policy.
func (r *recorder) Tick(v scheduler.View, plan scheduler.Plan) {
	r.calls, r.plan = append(r.calls, nil), plan
	r.Policy.Tick(v, r)
}

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
