package drf

import (
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// A hold reserves a tracker for a user whose next task does not fit there yet. A user holds at most
// one tracker.
type hold struct {
	tracker int32
	user    *user
	at      int64 // time at which the tracker last requested work, in ms
}

// stale is the time without a request for work after which a held tracker is released, in ms.
const stale = 60_000

// outcome is the result of a search for a user's task.
type outcome uint8

const (
	nothing outcome = iota // no task can run here
	given                  // a task has been launched
	waits                  // a task could run here with more room
)

// Assign implements scheduler.Policy. It applies Algorithm 1 to the resources of one tracker. It
// repeatedly serves the user with the smallest dominant share until no task fits or a user holds
// the tracker.
func (p *Policy) Assign(v scheduler.View, tracker int32, plan scheduler.Plan) {
	p.resize(v)
	p.releaseStale(v.Now())
	t := v.Tracker(tracker)
	for p.next(v, t, plan) {
	}
}

// next launches one more task on the tracker. It returns false if it finds none, or if a user holds
// the tracker for a task that does not fit yet.
func (p *Policy) next(v scheduler.View, t *scheduler.Tracker, plan scheduler.Plan) bool {
	if i := slices.IndexFunc(p.holds, func(h hold) bool { return h.tracker == t.Handle }); i >= 0 {
		u := p.holds[i].user
		switch p.fromUser(v, u, t, plan, true) {
		case given:
			p.releaseUser(u)
			return true
		case waits:
			p.holds[i].at = v.Now()
			return false
		}
		p.releaseUser(u)
	}
	for _, u := range p.order {
		switch p.fromUser(v, u, t, plan, p.set.hold && !p.holding(u)) {
		case given:
			return true
		case waits:
			p.holds = append(p.holds, hold{t.Handle, u, v.Now()})
			return false
		}
	}
	return false
}

// fromUser launches the user's first task that can run on the tracker. If mayWait is set and there is
// none, it looks for a task that would fit with more room.
func (p *Policy) fromUser(v scheduler.View, u *user, t *scheduler.Tracker, plan scheduler.Plan, mayWait bool) outcome {
	size, free := sizeOf(t), freeOf(t)
	index := int32(0)
	runs := func(x ready) (ok bool) {
		if x.TaskType == job.Reduce && !p.guard.Allows(v, v.Job(x.seq)) {
			return false
		}
		index, ok = scheduler.Pick(v, x.seq, t.Handle, x.TaskType)
		return ok
	}
	switch {
	case u.waiting.Find(func(n need) bool { return n.within(free) }, func(x ready) bool {
		return runs(x) && plan.Launch(job.Task{Job: x.seq, Type: x.TaskType, Index: index}, t.Handle, job.Container)
	}):
		return given
	case mayWait && u.waiting.Find(func(n need) bool { return n.within(size) && !n.within(free) }, runs):
		return waits
	}
	return nothing
}

// sizeOf returns the tracker's resources. If the tracker has not reported its cores, they are
// unlimited.
func sizeOf(t *scheduler.Tracker) demand {
	d := demand{int64(t.Memory), int64(t.VCores)}
	if t.VCores == 0 {
		d.cores = 1 << 40
	}
	return d
}

func freeOf(t *scheduler.Tracker) demand {
	return sizeOf(t).minus(demand{int64(t.UsedMemory), int64(t.UsedVCores)})
}

func (p *Policy) holding(u *user) bool {
	return slices.ContainsFunc(p.holds, func(h hold) bool { return h.user == u })
}

func (p *Policy) releaseUser(u *user) {
	p.holds = slices.DeleteFunc(p.holds, func(h hold) bool { return h.user == u })
}

func (p *Policy) releaseTracker(tracker int32) {
	p.holds = slices.DeleteFunc(p.holds, func(h hold) bool { return h.tracker == tracker })
}

// releaseStale releases trackers that have not requested work for a long time.
func (p *Policy) releaseStale(now int64) {
	p.holds = slices.DeleteFunc(p.holds, func(h hold) bool { return h.at+stale < now })
}
