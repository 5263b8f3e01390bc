// Package edf holds the deadline schedulers of SimMR (SIM sections III-C and V-A): all give slots in the order of deadlines
// (EDF), and differ in how many a job gets. MaxEDF gives all that it can use. MinEDF gives the fewest map and reduce slots with
// which the job should meet its deadline, as ARIA's bounds tell from the job's profile, and leaves others idle for jobs to come.
// MinEDF-WC hands those on, again in the order of deadlines, and takes them back as their tasks end.
//
// Jobs without a deadline come last, by priority and submission, and get all that is left.
package edf

import (
	"errors"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/estimate"
)

// Keys of the policies that size jobs.
const (
	// BoundKey chooses the estimate by which jobs are sized: low, average or up.
	BoundKey = "howdah.edf.bound"
	// ResizeKey says whether a job is sized again whenever one of its tasks ends, for what is left of it and of its time. SimMR
	// sizes a job once, when it arrives.
	ResizeKey = "howdah.edf.resize"
	// LearnKey says whether a job without a profile is sized once its first wave of maps is measured. It has all slots until then,
	// or for good.
	LearnKey = "howdah.edf.learn"
)

// variant is one of the policies.
type variant uint8

const (
	maxEDF variant = iota
	minEDF
	minEDFWC
)

// Policy is one of the schedulers. Its state is an index of what the View shows.
type Policy struct {
	variant variant
	bound   estimate.Bound
	resize  bool
	learn   bool

	queue     queue
	learner   *estimate.Learner
	predictor *estimate.Predictor
}

// NewMaxEDF builds the policy that gives each job all slots it can use.
func NewMaxEDF(scheduler.Setup) (scheduler.Policy, error) { return build(maxEDF), nil }

// NewMinEDF builds the policy that gives each job the slots it needs and no more.
func NewMinEDF(s scheduler.Setup) (scheduler.Policy, error) { return configured(minEDF, s.Conf) }

// NewMinEDFWC builds the policy that gives each job the slots it needs, and then what is left.
func NewMinEDFWC(s scheduler.Setup) (scheduler.Policy, error) { return configured(minEDFWC, s.Conf) }

func build(v variant) *Policy {
	l := estimate.NewLearner()
	return &Policy{variant: v, queue: newQueue(), learner: l, predictor: estimate.NewPredictor(l)}
}

func configured(v variant, c *conf.Config) (_ scheduler.Policy, err error) {
	p := build(v)
	name := c.Get(BoundKey)
	if name == "" {
		name = estimate.Average.String()
	}
	var ok bool
	if p.bound, ok = estimate.ParseBound(name); !ok {
		return nil, c.Refuse(BoundKey, errors.New("want low, average or up"))
	}
	if p.resize, err = c.Bool(ResizeKey, false); err != nil {
		return nil, err
	}
	if p.learn, err = c.Bool(LearnKey, true); err != nil {
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
	case event.TrackerJoined, event.TrackerChanged, event.TrackerLost, event.TrackerDraining: // no job is worth more slots than there are
		for _, x := range p.queue.jobs {
			p.size(v, x)
			x.count(v.Job(x.seq))
		}
		return
	}
	j := v.Job(e.Job)
	if j == nil { // the fact is about no job, or the job is forgotten
		return
	}
	switch e.Type {
	case event.JobStarted, event.JobPriorityChanged, event.JobCommitting, event.JobAborting:
		p.queue.remove(e.Job)
		if j.State == job.Running {
			p.add(v, j)
		}
	case event.AttemptStarted, event.AttemptFinished, event.TaskReopened, event.TaskFinished:
		if x := p.queue.bySeq[e.Job]; x != nil {
			if e.Type != event.AttemptStarted && !x.once {
				p.size(v, x)
			}
			x.count(j)
		}
	}
}

func (p *Policy) add(v scheduler.View, j *scheduler.Job) {
	x := p.queue.add(j)
	p.size(v, x)
	x.count(j)
}

// Assign implements scheduler.Policy.
func (p *Policy) Assign(v scheduler.View, tracker int32, plan scheduler.Plan) {
	for k := range job.TaskType(2) {
		p.fill(v, tracker, k, plan, (*entry).needs)
		if p.variant == minEDFWC {
			p.fill(v, tracker, k, plan, (*entry).wants)
		}
	}
}

// fill gives the tracker's free slots of a kind to jobs in their order, to each as many as room says.
func (p *Policy) fill(v scheduler.View, tracker int32, k job.TaskType, plan scheduler.Plan, room func(*entry, job.TaskType) int32) {
	t := v.Tracker(tracker)
	for i := 0; i < len(p.queue.jobs) && t.Free(k) > 0; {
		x := p.queue.jobs[i]
		if room(x, k) <= 0 || !launch(v, x.seq, tracker, k, plan) {
			i++
		}
	}
}

// launch starts the job's task that fits the tracker best.
func launch(v scheduler.View, seq, tracker int32, k job.TaskType, plan scheduler.Plan) bool {
	var index int32
	var ok bool
	if k == job.Map {
		index, _, ok = v.PickMap(seq, tracker, job.OffSwitch)
	} else {
		index, ok = v.PickReduce(seq, tracker)
	}
	return ok && plan.Launch(job.Task{Job: seq, Type: k, Index: index}, tracker, k)
}

// NextDeadline implements scheduler.Policy: there are none.
func (p *Policy) NextDeadline() int64 { return 0 }

// Tick implements scheduler.Policy.
func (p *Policy) Tick(scheduler.View, scheduler.Plan) {}

// Expect implements scheduler.Goal: a job that was sized ends as its profile tells for those slots, any other as it does with
// the slots that it has.
func (p *Policy) Expect(v scheduler.View, seq int32) (finish int64, ok bool) {
	slots := estimate.Present(v, seq)
	if x := p.queue.bySeq[seq]; x != nil && x.sized {
		slots = x.slots
	}
	return p.predictor.Finish(v, seq, slots)
}
