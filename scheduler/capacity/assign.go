package capacity

import (
	"math"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// beat holds the state of one call to Assign.
type beat struct {
	v     scheduler.View
	plan  scheduler.Plan
	t     *scheduler.Tracker
	left  int // number of tasks that this heartbeat may still assign
	after int // number of tasks that it may still assign in one lane after an off-switch map; -1 = no such map yet
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
				break // Hadoop assigned one reduce per heartbeat
			}
		}
	}
}

// next assigns one more task of the lane to the tracker and reports whether it found one.
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
		if len(q.wanting[l].Items) == 0 || q.used[l] > 0 && q.used[l]+1 > q.limit[l] {
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

// outcome is the result of a search for a task in a queue.
type outcome uint8

const (
	nothing outcome = iota
	given           // launched a task
	blocked         // reserved the tracker for a job with large tasks
)

func (p *Policy) fromQueue(b *beat, q *queue, l int, free int64) outcome {
	lane := &p.lanes[l]
	for _, x := range q.wanting[l].Items {
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

// wants reports whether the job has a task of type t that can start now.
func (p *Policy) wants(v scheduler.View, j *scheduler.Job, t job.TaskType) bool {
	return j.Wants(t) && (t == job.Map || p.reduces == nil || p.reduces(v, j))
}

// mayTake reports whether the job may start one more task of the given cost. The queue and the user
// must stay within their limits (CapacitySchedulerQueue.assignSlotsToJob), unless the queue uses no
// resources of the lane (see alone).
func (x *entry) mayTake(l int, cost int64) bool {
	q := x.queue
	return q.used[l]+cost <= q.limit[l] && x.user.used[l]+cost <= q.userLimit(l, cost) || x.alone(l)
}

// alone reports whether the queue currently uses no resources of lane l. If so, a job may start a
// task that exceeds every limit.
func (x *entry) alone(l int) bool { return x.queue.used[l] == 0 }

// userLimit returns the maximum amount of a lane for a user who is about to start a task of the
// given cost. It is an equal share of the queue's current resources among the users with running or
// pending tasks, or the configured minimum percentage of them if that is more. It never exceeds the
// user limit factor times the queue's capacity, or times the cost if that is more than the
// capacity.
func (q *queue) userLimit(l int, cost int64) int64 {
	capacity := max(q.capacity[l], cost)
	now := max(capacity, q.used[l]+cost) // the sum if the rest of the capacity is too small for the task
	part := max(ceil(now, int64(max(1, q.busy[l]))), ceil(now*q.set.MinimumUserLimit, 100))
	return min(part, capacity*q.set.UserLimitFactor/million)
}

func ceil(a, b int64) int64 { return (a + b - 1) / b }

// launch starts a task of the job and reports whether it could. It prefers maps that are close to
// their input. A heartbeat starts at most one off-switch map, and only if the job has waited long
// enough (waitedEnough). Both limits are ignored for maps that need several slots, and for all maps
// if anywhere is set.
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
	if anywhere || j.Width[t] > 1 || b.after == -1 && x.waitedEnough(j, b.v.Cluster().Trackers) {
		far = job.OffSwitch
	}
	index, near, ok := b.v.PickMap(x.seq, b.t.Handle, far)
	if !ok || !b.given(b.plan.Launch(job.Task{Job: x.seq, Type: t, Index: index}, b.t.Handle, slot)) {
		return false
	}
	switch {
	case near != job.OffSwitch:
		x.missed = 0
	case b.after == -1:
		b.after = p.set.AfterOffSwitch
	}
	return true
}

// waitedEnough reports whether the job has missed enough offers of slots to run an off-switch map.
// It must have missed more offers than its wait factor times the number of its unfinished maps, or
// times the number of trackers if that is smaller (JobInProgress.scheduleOffSwitch).
func (x *entry) waitedEnough(j *scheduler.Job, trackers int32) bool {
	need := min(j.Tasks[job.Map]-j.Finished[job.Map], trackers)
	return float64(x.missed) > float64(x.factor*float64(need))
}

// given counts a launched task if ok is true. It returns ok.
func (b *beat) given(ok bool) bool {
	if ok {
		b.left--
		if b.after != -1 {
			b.after--
		}
	}
	return ok
}
