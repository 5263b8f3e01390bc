// Package capacity implements the Capacity Scheduler of Hadoop 1.x
// (org.apache.hadoop.mapred.CapacityTaskScheduler). Each queue has a share of the cluster, which
// other queues can use while it is free. The scheduler supports limits for the users of a queue,
// job priorities, and tasks that need several slots, for which it reserves trackers.
//
// NewMemory returns the same scheduler for memory instead of slots, as in NextGen MapReduce. See
// package ngm.
package capacity

import (
	"slices"

	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
)

// A Policy is a Capacity Scheduler.
type Policy struct {
	set    *Settings
	lanes  []lane
	queues []*queue // by name
	byName map[string]*queue
	jobs   ordered.Window[entry]
	held   []reservation // sorted by tracker, then lane
	// reduces reports whether one more reduce of a job may start. If it is nil, reduces may always
	// start.
	reduces func(scheduler.View, *scheduler.Job) bool
}

// New returns a scheduler with the settings from s.Conf and s.Files. It returns the same errors as
// Read.
func New(s scheduler.Setup) (scheduler.Policy, error) {
	set, err := Read(s)
	if err != nil {
		return nil, err
	}
	return newPolicy(set, slotLanes()), nil
}

// NewMemory returns a scheduler that counts memory and assigns containers. It reads the same
// settings as New. Maps and reduces share the memory, so a reduce starts only if the reduces
// function permits one more for its job.
func NewMemory(s scheduler.Setup, reduces func(scheduler.View, *scheduler.Job) bool) (*Policy, error) {
	set, err := Read(s)
	if err != nil {
		return nil, err
	}
	p := newPolicy(set, memoryLanes())
	p.reduces = reduces
	return p, nil
}

func newPolicy(set *Settings, lanes []lane) *Policy {
	p := &Policy{set: set, lanes: lanes, byName: map[string]*queue{}}
	p.clear()
	return p
}

// clear drops all jobs and reservations, and replaces all queues with empty ones.
func (p *Policy) clear() {
	p.queues, p.held = nil, nil
	p.jobs.Clear()
	for i := range p.set.Queues {
		q := newQueue(&p.set.Queues[i], p.set, len(p.lanes))
		p.queues = append(p.queues, q)
		p.byName[q.set.Name] = q
	}
	for l := range p.lanes {
		p.lanes[l].order = slices.Clone(p.queues)
		p.lanes[l].total = -1
	}
}

// Reset implements scheduler.Policy.
func (p *Policy) Reset(v scheduler.View) {
	p.clear()
	for _, seq := range v.Jobs() {
		p.add(v.Job(seq))
	}
	for _, q := range p.queues {
		q.activate(true)
	}
}

// Observe implements scheduler.Policy.
func (p *Policy) Observe(v scheduler.View, e *event.Event) {
	switch e.Type {
	case event.TrackerLost, event.TrackerBlacklisted, event.TrackerChanged, event.TrackerDraining:
		p.releaseTracker(e.Tracker)
		return
	case event.JobStarted, event.JobPriorityChanged, event.JobCommitting, event.JobAborting, event.JobFinished,
		event.JobRetired, event.JobMoved,
		event.AttemptStarted, event.AttemptFinished, event.TaskReopened, event.TaskFinished:
	default:
		return
	}
	j := v.Job(e.Job)
	x := p.jobs.Get(e.Job)
	switch {
	case j == nil || j.State != job.Running:
		p.remove(x)
	case x == nil:
		p.add(j)
		p.queueOf(j.Spec.Queue).activate(false)
	case e.Type == event.JobPriorityChanged:
		x.queue.reorder(x, j.Priority)
	case e.Type == event.JobMoved:
		p.move(x, j)
	default:
		p.update(x, j)
	}
}

// queueOf returns the named queue. If the name is empty or unknown, it returns the "default" queue,
// or the first queue if there is no "default" queue.
func (p *Policy) queueOf(name string) *queue {
	if q := p.byName[name]; q != nil {
		return q
	}
	if q := p.byName["default"]; q != nil {
		return q
	}
	return p.queues[0]
}

func (p *Policy) add(j *scheduler.Job) {
	q := p.queueOf(j.Spec.Queue)
	x := newEntry(q, j, len(p.lanes))
	p.jobs.Put(j.Seq, x)
	q.enter(x)
	p.update(x, j)
}

func (p *Policy) remove(x *entry) {
	if x == nil {
		return
	}
	p.releaseJob(x)
	for l := range p.lanes {
		x.count(p, l, 0, false)
	}
	x.queue.leave(x)
	p.jobs.Delete(x.seq)
	x.queue.activate(false)
}

// move moves a job to the queue that its specification names. The job loses its reservations. If it
// is active, it stays active, even above the limits on active jobs of its new queue.
func (p *Policy) move(x *entry, j *scheduler.Job) {
	if p.queueOf(j.Spec.Queue) == x.queue {
		return
	}
	active := x.active
	p.remove(x)
	p.add(j)
	moved := p.jobs.Get(j.Seq)
	moved.missed = x.missed
	if active {
		moved.setActive(true)
	}
	moved.queue.activate(false)
}

func (p *Policy) update(x *entry, j *scheduler.Job) {
	for l := range p.lanes {
		used, wants, busy := int64(0), false, false
		for _, t := range p.lanes[l].types {
			used += p.lanes[l].cost(j, t) * int64(j.Running[t])
			wants = wants || j.Wants(t)
			busy = busy || j.Running[t] > 0 || j.Pending[t] > 0
		}
		x.running[l] = used
		x.count(p, l, used+x.reserved[l], busy)
		x.open[l] = wants
		x.setWants(l, wants && x.active)
	}
}

// NextDeadline implements scheduler.Policy. The policy has no deadlines.
func (p *Policy) NextDeadline() int64 { return 0 }

// Tick implements scheduler.Policy.
func (p *Policy) Tick(scheduler.View, scheduler.Plan) {}

// IgnoresProgress implements scheduler.ProgressIgnorer.
func (p *Policy) IgnoresProgress() bool { return true }

// IgnoresProfiles implements scheduler.ProfileIgnorer.
func (p *Policy) IgnoresProfiles() bool { return true }

// Inherit implements scheduler.Heir. If old is a Policy with the same number of lanes, active jobs
// stay active, and jobs keep their locality waits and reserved trackers.
func (p *Policy) Inherit(v scheduler.View, old scheduler.Policy) {
	o, ok := old.(*Policy)
	if !ok || len(o.lanes) != len(p.lanes) {
		return
	}
	for _, q := range p.queues {
		q.inherit(o)
	}
	for _, r := range o.held {
		if x := p.jobs.Get(r.job.seq); x != nil && v.Tracker(r.tracker) != nil {
			p.reserve(x, r.lane, r.tracker, r.amount, r.at)
		}
	}
}
