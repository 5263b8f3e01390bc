// Package fifo is Hadoop's default scheduler (org.apache.hadoop.mapred.JobQueueTaskScheduler): jobs in order of priority,
// then of submission; the first that has a task for the asking tracker gets the slot. Maps go to the node that holds their
// input if they can, then to its rack, then anywhere.
package fifo

import (
	"cmp"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
)

// MultipleKey says whether one beat may fill all free slots. Hadoop's scheduler gave at most one reduce, and at most one map
// far from its input, a beat; with WaitForWork a tracker that asks once should get all that is meant for it. Set it to false to
// schedule as Hadoop did.
const MultipleKey = "howdah.fifo.assign.multiple"

// Policy is the scheduler. Its state is an index of the running jobs.
type Policy struct {
	multiple bool
	jobs     []*entry // running jobs, first first
	bySeq    map[int32]*entry
	recent   *entry   // of the last fact: the next one is often about the same job
	load     [2]int64 // waiting tasks and running attempts of all of them
}

// entry is a running job in the queue, with its share of the load.
type entry struct {
	seq      int32
	priority job.Priority
	submit   int64
	load     [2]int64
}

// New builds the policy by its keys.
func New(s scheduler.Setup) (scheduler.Policy, error) {
	multiple, err := s.Conf.Bool(MultipleKey, true)
	if err != nil {
		return nil, err
	}
	return &Policy{multiple: multiple, bySeq: map[int32]*entry{}}, nil
}

// compare orders by priority, submission and number.
func compare(a, b *entry) int {
	return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(a.submit, b.submit), cmp.Compare(a.seq, b.seq))
}

// Reset implements scheduler.Policy.
func (p *Policy) Reset(v scheduler.View) {
	p.jobs, p.load, p.recent = nil, [2]int64{}, nil
	clear(p.bySeq)
	for _, seq := range v.Jobs() {
		p.add(v.Job(seq))
	}
}

// Observe implements scheduler.Policy.
func (p *Policy) Observe(v scheduler.View, e *event.Event) {
	j := v.Job(e.Job)
	if j == nil { // the fact is about no job, or the job is forgotten
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
			p.recent = p.bySeq[e.Job]
		}
		if p.recent != nil {
			p.reload(p.recent, j)
		}
	}
}

func (p *Policy) add(j *scheduler.Job) {
	x := &entry{seq: j.Seq, priority: j.Priority, submit: j.Submit}
	p.reload(x, j)
	i, _ := slices.BinarySearchFunc(p.jobs, x, compare)
	p.jobs = slices.Insert(p.jobs, i, x)
	p.bySeq[j.Seq] = x
}

func (p *Policy) remove(seq int32) {
	x := p.bySeq[seq]
	if x == nil {
		return
	}
	for k := range p.load {
		p.load[k] -= x.load[k]
	}
	i, _ := slices.BinarySearchFunc(p.jobs, x, compare)
	p.jobs = slices.Delete(p.jobs, i, i+1)
	delete(p.bySeq, seq)
	p.recent = nil
}

// reload brings a job's share of the load up to date.
func (p *Policy) reload(x *entry, j *scheduler.Job) {
	for k := range x.load {
		now := int64(j.Pending[k]) + int64(j.Running[k])
		p.load[k] += now - x.load[k]
		x.load[k] = now
	}
}

// Assign implements scheduler.Policy.
func (p *Policy) Assign(v scheduler.View, tracker int32, plan scheduler.Plan) {
	slots := v.Cluster().Slots
	p.assignMaps(v, tracker, slots, plan)
	p.assignReduces(v, tracker, slots, plan)
}

// share is how many slots of a kind, of those of the cluster, a tracker may have in use: the load is spread evenly over the cluster, so that the
// first tracker that asks does not take all of a small job (JobQueueTaskScheduler's load factor). It is never more than the
// tracker has.
func (p *Policy) share(slots [2]int32, t *scheduler.Tracker, k job.TaskType) int32 {
	all := int64(slots[k])
	switch {
	case p.load[k] >= all:
		return t.Slots[k]
	case int64(t.Slots[k]) == all: // no division, which costs as much as the rest
		return int32(p.load[k])
	}
	return int32((p.load[k]*int64(t.Slots[k]) + all - 1) / all)
}

// room is how many more tasks of a type a tracker may get. Slots that tasks of another type have borrowed do not count against its
// share: such a reduce may wait for the very map that nobody else may run.
func (p *Policy) room(slots [2]int32, t *scheduler.Tracker, k job.TaskType) int32 {
	return min(p.share(slots, t, k)-(t.Used[k]-t.Lent[k]), t.Free(k))
}

func (p *Policy) assignMaps(v scheduler.View, tracker int32, slots [2]int32, plan scheduler.Plan) {
	t := v.Tracker(tracker)
	for n := p.room(slots, t, job.Map); n > 0; n-- {
		l, ok := p.launchMap(v, tracker, plan)
		if !ok || l == job.OffSwitch && !p.multiple {
			return
		}
	}
}

// launchMap starts the first job's map that may run here.
func (p *Policy) launchMap(v scheduler.View, tracker int32, plan scheduler.Plan) (job.Locality, bool) {
	for i := range p.jobs {
		seq := p.jobs[i].seq
		if !v.Job(seq).Wants(job.Map) {
			continue
		}
		index, l, ok := v.PickMap(seq, tracker, job.OffSwitch)
		if ok && plan.Launch(job.Task{Job: seq, Type: job.Map, Index: index}, tracker, job.Map) {
			return l, true
		}
	}
	return 0, false
}

func (p *Policy) assignReduces(v scheduler.View, tracker int32, slots [2]int32, plan scheduler.Plan) {
	t := v.Tracker(tracker)
	n := p.room(slots, t, job.Reduce)
	if !p.multiple {
		n = min(n, 1)
	}
	for ; n > 0; n-- {
		if !p.launchReduce(v, tracker, plan) {
			return
		}
	}
}

func (p *Policy) launchReduce(v scheduler.View, tracker int32, plan scheduler.Plan) bool {
	for i := range p.jobs {
		seq := p.jobs[i].seq
		if !v.Job(seq).Wants(job.Reduce) {
			continue
		}
		index, ok := v.PickReduce(seq, tracker)
		if ok && plan.Launch(job.Task{Job: seq, Type: job.Reduce, Index: index}, tracker, job.Reduce) {
			return true
		}
	}
	return false
}

// NextDeadline implements scheduler.Policy: there are none.
func (p *Policy) NextDeadline() int64 { return 0 }

// Tick implements scheduler.Policy.
func (p *Policy) Tick(scheduler.View, scheduler.Plan) {}

// IgnoresProgress implements scheduler.ProgressIgnorer.
func (p *Policy) IgnoresProgress() bool { return true }
