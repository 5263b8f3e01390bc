package capacity

import (
	"math"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// beat is what one call of Assign has to carry about.
type beat struct {
	v     scheduler.View
	plan  scheduler.Plan
	t     *scheduler.Tracker
	left  int // tasks that may still be given
	after int // and how many once one far from its input was given; -1 = none was
}

// Assign implements scheduler.Policy.
func (p *Policy) Assign(v scheduler.View, tracker int32, plan scheduler.Plan) {
	p.releaseStale(v.Now())
	b := beat{v: v, plan: plan, t: v.Tracker(tracker), left: p.set.TasksPerBeat}
	for l := range p.lanes {
		p.lanes[l].resize(v, l)
		b.after = -1
		for b.left > 0 && b.after != 0 && p.next(&b, l) {
			if !p.set.Multiple && p.lanes[l].types[0] == job.Reduce && len(p.lanes) > 1 {
				break // Hadoop gave one reduce a beat
			}
		}
	}
}

// next gives the tracker one more task of a lane, and tells whether it did.
func (p *Policy) next(b *beat, l int) bool {
	lane := &p.lanes[l]
	free := lane.free(b.t)
	if free <= 0 {
		return false
	}
	if i, held := p.holder(b.t.Handle, l); held {
		if done, ok := p.useReserved(b, i, free); done {
			return ok
		}
	}
	for _, q := range lane.order {
		if len(q.wanting[l]) == 0 || q.used[l] > 0 && q.used[l]+1 > q.limit[l] {
			continue
		}
		switch p.fromQueue(b, q, l, free) {
		case given:
			return true
		case blocked:
			return false
		}
	}
	return false
}

// outcome is what came of looking for a task in a queue.
type outcome uint8

const (
	nothing outcome = iota
	given           // a task was launched
	blocked         // the tracker is now held for a job with large tasks
)

func (p *Policy) fromQueue(b *beat, q *queue, l int, free int64) outcome {
	lane := &p.lanes[l]
	for _, x := range q.wanting[l] {
		j := b.v.Job(x.seq)
		for _, t := range lane.types {
			if !p.wants(b.v, j, t) {
				continue
			}
			cost := lane.cost(j, t)
			if !x.mayTake(l, cost) {
				continue
			}
			if cost > free {
				if p.shallReserve(b, x, j, t, l, cost) {
					p.reserve(x, l, b.t.Handle, free, b.v.Now())
					return blocked
				}
				continue
			}
			if p.launch(b, x, j, t, l, false) {
				return given
			}
		}
	}
	return nothing
}

// wants tells whether a job has a task of a type that may start now.
func (p *Policy) wants(v scheduler.View, j *scheduler.Job, t job.TaskType) bool {
	return j.Wants(t) && (t == job.Map || p.reduces == nil || p.reduces(v, j))
}

// mayTake tells whether queue and user are under their limits with a further task (CapacitySchedulerQueue.assignSlotsToJob).
func (x *entry) mayTake(l int, cost int64) bool {
	q := x.queue
	return q.used[l]+cost <= q.limit[l] && x.user.used[l]+cost <= q.userLimit(l, cost) || x.alone(l)
}

// alone tells whether a job may take its first task though that is larger than every limit: nothing else of its queue runs.
func (x *entry) alone(l int) bool { return x.queue.used[l] == 0 }

// userLimit is the most that one user may have: an equal part of what the queue has now, or the minimum per cent of it if
// that is more; never more than the queue's capacity times the factor.
func (q *queue) userLimit(l int, cost int64) int64 {
	capacity := max(q.capacity[l], cost)
	now := capacity
	if q.used[l]+cost > capacity { // and not only from the capacity on: room too small for the task must not hold it back
		now = q.used[l] + cost
	}
	part := max(ceil(now, int64(max(1, q.busy[l]))), ceil(now*q.set.MinimumUserLimit, 100))
	return min(part, capacity*q.set.UserLimitFactor/million)
}

func ceil(a, b int64) int64 { return (a + b - 1) / b }

// launch starts a task of a job. Maps go to their input first; for one that is far from it the job waits until it has had a
// chance on as many trackers as it has maps left, or as there are.
func (p *Policy) launch(b *beat, x *entry, j *scheduler.Job, t job.TaskType, l int, anywhere bool) bool {
	slot := p.lanes[l].slot(t)
	if t == job.Reduce {
		index, ok := b.v.PickReduce(x.seq, b.t.Handle)
		return ok && b.given(b.plan.Launch(job.Task{Job: x.seq, Type: t, Index: index}, b.t.Handle, slot))
	}
	if x.missed < math.MaxInt32 {
		x.missed++
	}
	far := job.RackLocal
	if anywhere || j.Width[t] > 1 || b.after < 0 && x.waitedEnough(j, b.v.Cluster().Trackers) {
		far = job.OffSwitch
	}
	index, near, ok := b.v.PickMap(x.seq, b.t.Handle, far)
	if !ok || !b.given(b.plan.Launch(job.Task{Job: x.seq, Type: t, Index: index}, b.t.Handle, slot)) {
		return false
	}
	switch {
	case near != job.OffSwitch:
		x.missed = 0
	case b.after < 0:
		b.after = p.set.AfterOffSwitch
	}
	return true
}

// waitedEnough is JobInProgress.scheduleOffSwitch.
func (x *entry) waitedEnough(j *scheduler.Job, trackers int32) bool {
	need := min(j.Tasks[job.Map]-j.Finished[job.Map], trackers)
	return float64(x.missed) > float64(x.factor*float64(need))
}

// given counts a launch.
func (b *beat) given(ok bool) bool {
	if ok {
		b.left--
		if b.after > 0 {
			b.after--
		}
	}
	return ok
}
