// Package edf implements the deadline schedulers of SimMR (SIM sections III-C and V-A). All of them
// assign slots in the order of deadlines (EDF), but differ in the number of slots per job:
//
//   - MaxEDF assigns a job all the slots that it can use.
//   - MinEDF assigns a job the fewest map and reduce slots with which it should meet its deadline,
//     according to ARIA's bounds and the job's profile. Jobs without a deadline or a profile can
//     use the other slots.
//   - MinEDF-WC works like MinEDF but also assigns the other slots, in the order of deadlines. It
//     takes them back as their tasks end.
//
// Jobs without a deadline come last, by priority and submission, and get the remaining slots.
package edf

import (
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/estimate"
)

// variant selects one of the policies.
type variant uint8

const (
	maxEDF variant = iota
	minEDF
	minEDFWC
)

// A Policy is one of the schedulers. Its state is an index of the View.
type Policy struct {
	variant variant
	bound   estimate.Bound
	resize  bool // size a job again when one of its tasks ends; SimMR sizes it only on arrival
	learn   bool // size a job without a profile after its first wave of maps

	queue     queue
	learner   *estimate.Learner
	predictor *estimate.Predictor
}

// NewMaxEDF returns the policy that assigns each job all the slots that it can use.
func NewMaxEDF(scheduler.Setup) (scheduler.Policy, error) { return build(maxEDF), nil }

// NewMinEDF returns the policy that assigns each job only the slots that it needs. Errors are of
// kind Config.
func NewMinEDF(s scheduler.Setup) (scheduler.Policy, error) { return configured(minEDF, s.Conf) }

// NewMinEDFWC returns the policy that assigns each job the slots that it needs, and then assigns
// the rest. Errors are of kind Config.
func NewMinEDFWC(s scheduler.Setup) (scheduler.Policy, error) { return configured(minEDFWC, s.Conf) }

func build(v variant) *Policy {
	l := estimate.NewLearner()
	return &Policy{variant: v, queue: newQueue(), learner: l, predictor: estimate.NewPredictor(l)}
}

func configured(v variant, c *conf.Config) (scheduler.Policy, error) {
	p := build(v)
	name, err := conf.EDFBound.Get(c)
	if err != nil {
		return nil, err
	}
	p.bound, _ = estimate.ParseBound(name)
	if p.resize, err = conf.EDFResize.Get(c); err != nil {
		return nil, err
	}
	if p.learn, err = conf.EDFLearn.Get(c); err != nil {
		return nil, err
	}
	return p, nil
}

// Reset implements scheduler.Policy.
func (p *Policy) Reset(v scheduler.View) {
	p.queue.clear()
	p.learner.Reset(v)
	for _, seq := range v.Jobs() {
		p.add(v, v.Job(seq))
	}
}

// Observe implements scheduler.Policy.
func (p *Policy) Observe(v scheduler.View, e *event.Event) {
	p.learner.Observe(v, e)
	switch e.Type {
	// The number of slots in the cluster limits the sizes of jobs.
	case event.TrackerJoined, event.TrackerChanged, event.TrackerLost, event.TrackerDraining:
		for _, x := range p.queue.jobs {
			p.size(v, x)
			p.queue.place(x, v.Job(x.seq))
		}
		return
	}
	j := v.Job(e.Job)
	if j == nil { // the fact has no job, or the job has been dropped
		return
	}
	switch e.Type {
	case event.JobStarted, event.JobPriorityChanged, event.JobDeadlineChanged, event.JobCommitting, event.JobAborting:
		p.queue.remove(e.Job)
		if j.State == job.Running {
			p.add(v, j)
		}
	case event.AttemptStarted, event.AttemptFinished, event.TaskReopened, event.TaskFinished:
		if x := p.queue.bySeq.Get(e.Job); x != nil {
			if e.Type != event.AttemptStarted && !x.once {
				p.size(v, x)
			}
			p.queue.place(x, j)
		}
	}
}

func (p *Policy) add(v scheduler.View, j *scheduler.Job) {
	x := p.queue.add(j)
	p.size(v, x)
	p.queue.place(x, j)
}

// Assign implements scheduler.Policy.
func (p *Policy) Assign(v scheduler.View, tracker int32, plan scheduler.Plan) {
	t := v.Tracker(tracker)
	for k := range job.TaskType(2) {
		fill(v, t, k, plan, &p.queue.needy[k])
		if p.variant == minEDFWC {
			fill(v, t, k, plan, &p.queue.eager[k])
		}
	}
}

// fill assigns the tracker's free slots of type k to waiting jobs in order. For each job, it
// chooses the map whose input is closest, or the first reduce.
func fill(v scheduler.View, t *scheduler.Tracker, k job.TaskType, plan scheduler.Plan, jobs *waiting) {
	fits := func(width int32) bool { return width <= t.Free(k) }
	start := func(x *entry) bool {
		index, ok := scheduler.Pick(v, x.seq, t.Handle, k)
		return ok && plan.Launch(job.Task{Job: x.seq, Type: k, Index: index}, t.Handle, k)
	}
	for t.Free(k) > 0 && jobs.Find(fits, start) {
	}
}

// NextDeadline implements scheduler.Policy. The policy does not need Tick.
func (p *Policy) NextDeadline() int64 { return 0 }

// Tick implements scheduler.Policy.
func (p *Policy) Tick(scheduler.View, scheduler.Plan) {}

// Expect implements scheduler.Goal. For a sized job, it predicts with the planned slots. For any
// other job, it predicts with the current slots.
func (p *Policy) Expect(v scheduler.View, seq int32) (finish int64, ok bool) {
	slots := estimate.Present(v, seq)
	if x := p.queue.bySeq.Get(seq); x != nil && x.sized {
		slots = x.slots
	}
	return p.predictor.Finish(v, seq, slots)
}
