package capacity

import (
	"cmp"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// A reservation keeps a tracker for a job whose tasks need more of a lane than the tracker has
// free. Until enough is free, no other job gets resources of the lane on that tracker. The reserved
// resources count as used by the job.
type reservation struct {
	tracker int32
	lane    int
	job     *entry
	amount  int64
	at      int64 // time at which the tracker last requested work, in milliseconds since the Unix epoch
}

// stale is the time without a request for work after which a tracker loses its reservation, in
// milliseconds.
const stale = 60_000

func (r reservation) compare(tracker int32, lane int) int {
	return cmp.Or(cmp.Compare(r.tracker, tracker), cmp.Compare(r.lane, lane))
}

// holder returns the index of the tracker's reservation in the lane and reports whether it exists.
func (p *Policy) holder(tracker int32, lane int) (int, bool) {
	return slices.BinarySearchFunc(p.held, reservation{tracker: tracker, lane: lane},
		func(a, b reservation) int { return a.compare(b.tracker, b.lane) })
}

// reserve reserves the tracker for the job. If the tracker is already reserved for that job, it
// updates the amount.
func (p *Policy) reserve(x *entry, lane int, tracker int32, amount, now int64) {
	i, there := p.holder(tracker, lane)
	if !there {
		p.held = slices.Insert(p.held, i, reservation{tracker: tracker, lane: lane, job: x})
	}
	r := &p.held[i]
	x.reserved[lane] += amount - r.amount
	r.amount, r.at = amount, now
	x.count(p, lane, x.running[lane]+x.reserved[lane], x.busy[lane])
}

func (p *Policy) release(i int) {
	r := p.held[i]
	p.held = slices.Delete(p.held, i, i+1)
	r.job.reserved[r.lane] -= r.amount
	r.job.count(p, r.lane, r.job.running[r.lane]+r.job.reserved[r.lane], r.job.busy[r.lane])
}

// releaseStale releases trackers that have not requested work for a long time. Such a tracker is
// unhealthy, or full of other jobs' tasks.
func (p *Policy) releaseStale(now int64) {
	for i := len(p.held) - 1; i >= 0; i-- {
		if p.held[i].at+stale < now {
			p.release(i)
		}
	}
}

func (p *Policy) releaseTracker(tracker int32) {
	for i := len(p.held) - 1; i >= 0; i-- {
		if p.held[i].tracker == tracker {
			p.release(i)
		}
	}
}

func (p *Policy) releaseJob(x *entry) {
	for i := len(p.held) - 1; i >= 0; i-- {
		if p.held[i].job == x {
			p.release(i)
		}
	}
}

// shallReserve reports whether to reserve the tracker for the job. The tracker must be large enough
// and able to run one of the job's tasks. The job must have more such tasks pending than it has
// trackers reserved.
func (p *Policy) shallReserve(b *beat, x *entry, j *scheduler.Job, t job.TaskType, l int, cost int64) bool {
	if cost > p.lanes[l].size(b.t) {
		return false
	}
	holds := int32(0)
	for i := range p.held {
		if p.held[i].job == x && p.held[i].lane == l {
			holds++
		}
	}
	return holds < j.Pending[t] && canRun(b, x.seq, t)
}

func canRun(b *beat, seq int32, t job.TaskType) (ok bool) {
	if t == job.Reduce {
		_, ok = b.v.PickReduce(seq, b.t.Handle)
		return ok
	}
	_, _, ok = b.v.PickMap(seq, b.t.Handle, job.OffSwitch)
	return ok
}

// useReserved serves the job of reservation i, which holds b's tracker. If done is true, the search
// for a task is over, and ok reports whether it launched one. If done is false, the tracker is no
// longer reserved.
func (p *Policy) useReserved(b *beat, i int, free int64) (done, ok bool) {
	r := p.held[i]
	lane := &p.lanes[r.lane]
	j := b.v.Job(r.job.seq)
	for _, t := range lane.types {
		cost := lane.cost(j, t)
		if !p.wants(b.v, j, t) || cost > lane.size(b.t) || !canRun(b, r.job.seq, t) {
			continue
		}
		if cost > free {
			p.reserve(r.job, r.lane, r.tracker, free, b.v.Now())
			return true, false
		}
		p.release(i)
		ok = p.launch(b, r.job, j, t, r.lane, true)
		return ok, ok
	}
	p.release(i)
	return false, false
}
