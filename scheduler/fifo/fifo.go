// Package fifo implements Hadoop's default scheduler
// (org.apache.hadoop.mapred.JobQueueTaskScheduler). It orders jobs by priority, then by submission.
// A free slot goes to the first job with a task for the tracker. Of that job's maps, one with its
// input on the tracker's node comes first, then one with its input in the same rack, then any
// other.
package fifo

import (
	"cmp"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/backlog"
)

// A Policy is a FIFO scheduler. Its state is an index of the running jobs.
type Policy struct {
	multiple bool // fill all free slots in one heartbeat; Hadoop assigned at most one reduce and one off-switch map
	bySeq    ordered.Window[entry]
	waiting  [2]backlog.List[*entry, int32] // jobs with a task to start, by the slots that it takes
	recent   *entry                         // job of the last fact, because the next fact is often about the same job
	load     [2]int64                       // pending tasks and running attempts of all jobs
}

// An entry is a running job in the queue, with its share of the load.
type entry struct {
	seq      int32
	priority job.Priority
	submit   int64
	load     [2]int32
	width    [2]int32 // slots that a task takes
	listed   [2]bool  // in Policy.waiting
}

// New returns a policy with the settings from s.Conf.
func New(s scheduler.Setup) (scheduler.Policy, error) {
	multiple, err := conf.FifoAssignMultiple.Get(s.Conf)
	if err != nil {
		return nil, err
	}
	p := &Policy{multiple: multiple}
	for k := range p.waiting {
		p.waiting[k].Compare = compare
	}
	return p, nil
}

// compare orders jobs by priority, submission, and sequence number.
func compare(a, b *entry) int {
	return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(a.submit, b.submit), cmp.Compare(a.seq, b.seq))
}

// Reset implements scheduler.Policy.
func (p *Policy) Reset(v scheduler.View) {
	p.load, p.recent = [2]int64{}, nil
	p.bySeq.Clear()
	for k := range p.waiting {
		p.waiting[k].Clear()
	}
	for _, seq := range v.Jobs() {
		p.add(v.Job(seq))
	}
}

// Observe implements scheduler.Policy.
func (p *Policy) Observe(v scheduler.View, e *event.Event) {
	j := v.Job(e.Job)
	if j == nil { // the fact has no job, or the job has been dropped
		return
	}
	switch e.Type {
	case event.JobStarted, event.JobPriorityChanged, event.JobCommitting, event.JobAborting:
		p.remove(e.Job)
		if j.State == job.Running {
			p.add(j)
		}
	case event.AttemptStarted, event.AttemptFinished, event.TaskReopened, event.TaskFinished:
		if p.recent == nil || p.recent.seq != e.Job {
			p.recent = p.bySeq.Get(e.Job)
		}
		if p.recent != nil {
			p.reload(p.recent, j)
		}
	}
}

func (p *Policy) add(j *scheduler.Job) {
	x := &entry{seq: j.Seq, priority: j.Priority, submit: j.Submit, width: j.Width}
	p.reload(x, j)
	p.bySeq.Put(j.Seq, x)
}

func (p *Policy) remove(seq int32) {
	x := p.bySeq.Get(seq)
	if x == nil {
		return
	}
	for k := range p.load {
		p.load[k] -= int64(x.load[k])
		p.waiting[k].Set(x, x.width[k], &x.listed[k], false)
	}
	p.bySeq.Delete(seq)
	p.recent = nil
}

// reload updates the job's share of the load and the lists of jobs with a task to start.
func (p *Policy) reload(x *entry, j *scheduler.Job) {
	for k := range job.TaskType(2) {
		now := j.Pending[k] + j.Running[k]
		p.load[k] += int64(now - x.load[k])
		x.load[k] = now
		if wants := j.Wants(k); wants != x.listed[k] {
			p.waiting[k].Set(x, x.width[k], &x.listed[k], wants)
		}
	}
}

// Assign implements scheduler.Policy.
func (p *Policy) Assign(v scheduler.View, tracker int32, plan scheduler.Plan) {
	t, slots := v.Tracker(tracker), v.Cluster().Slots
	if !p.waiting[job.Map].Empty() {
		p.assignMaps(v, t, slots, plan)
	}
	if !p.waiting[job.Reduce].Empty() {
		p.assignReduces(v, t, slots, plan)
	}
}

// share returns how many of its slots of type k the tracker may use. It spreads the load evenly
// over the cluster (JobQueueTaskScheduler's load factor). Otherwise the first tracker could take
// all tasks of a small job.
func (p *Policy) share(slots [2]int32, t *scheduler.Tracker, k job.TaskType) int32 {
	all := int64(slots[k])
	switch {
	case p.load[k] >= all:
		return t.Slots[k]
	case int64(t.Slots[k]) == all: // avoids an expensive division
		return int32(p.load[k])
	}
	return int32((p.load[k]*int64(t.Slots[k]) + all - 1) / all)
}

// room returns how many more tasks of type k the tracker may get. Slots that tasks of the other
// type have borrowed do not count toward the tracker's share. Otherwise, a reduce in a map slot
// could keep out the map for which it waits.
func (p *Policy) room(slots [2]int32, t *scheduler.Tracker, k job.TaskType) int32 {
	free := t.Free(k)
	if free == 0 {
		return 0 // avoids the division in share
	}
	return min(p.share(slots, t, k)-(t.Used[k]-t.Lent[k]), free)
}

func (p *Policy) assignMaps(v scheduler.View, t *scheduler.Tracker, slots [2]int32, plan scheduler.Plan) {
	for n := p.room(slots, t, job.Map); n > 0; n-- {
		l, ok := p.launchMap(v, t, plan)
		if !ok || l == job.OffSwitch && !p.multiple {
			return
		}
	}
}

// launchMap starts a map of the first job that has one for this tracker, and returns the locality
// of the map.
func (p *Policy) launchMap(v scheduler.View, t *scheduler.Tracker, plan scheduler.Plan) (l job.Locality, ok bool) {
	ok = p.waiting[job.Map].Find(within(t.Free(job.Map)), func(x *entry) bool {
		index, closest, ok := v.PickMap(x.seq, t.Handle, job.OffSwitch)
		l = closest
		return ok && plan.Launch(job.Task{Job: x.seq, Type: job.Map, Index: index}, t.Handle, job.Map)
	})
	return l, ok
}

// within returns a function that reports whether a task that takes width slots fits into the free
// slots.
func within(free int32) func(width int32) bool {
	return func(width int32) bool { return width <= free }
}

func (p *Policy) assignReduces(v scheduler.View, t *scheduler.Tracker, slots [2]int32, plan scheduler.Plan) {
	n := p.room(slots, t, job.Reduce)
	if !p.multiple {
		n = min(n, 1)
	}
	for ; n > 0; n-- {
		if !p.launchReduce(v, t, plan) {
			return
		}
	}
}

func (p *Policy) launchReduce(v scheduler.View, t *scheduler.Tracker, plan scheduler.Plan) bool {
	return p.waiting[job.Reduce].Find(within(t.Free(job.Reduce)), func(x *entry) bool {
		index, ok := v.PickReduce(x.seq, t.Handle)
		return ok && plan.Launch(job.Task{Job: x.seq, Type: job.Reduce, Index: index}, t.Handle, job.Reduce)
	})
}

// NextDeadline implements scheduler.Policy. The policy has no deadlines.
func (p *Policy) NextDeadline() int64 { return 0 }

// Tick implements scheduler.Policy.
func (p *Policy) Tick(scheduler.View, scheduler.Plan) {}

// IgnoresProgress implements scheduler.ProgressIgnorer.
func (p *Policy) IgnoresProgress() bool { return true }

// IgnoresProfiles implements scheduler.ProfileIgnorer.
func (p *Policy) IgnoresProfiles() bool { return true }
