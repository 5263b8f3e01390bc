package drf

import (
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// hold keeps a tracker free for a user whose next task does not fit there yet. A user holds one tracker at most.
type hold struct {
	tracker int32
	user    *user
	at      int64 // when the tracker beat last, ms
}

// stale is after how many ms without a beat a tracker is not waited for any more.
const stale = 60_000

// outcome is what came of looking for a task of a user.
type outcome uint8

const (
	nothing outcome = iota // none that could run here
	given
	waits // one that could run here if there were more room
)

// Assign implements scheduler.Policy. It is Algorithm 1 with the resources of one tracker for what is left: the user with the
// smallest dominant share comes first, again and again, until nobody's task fits.
func (p *Policy) Assign(v scheduler.View, tracker int32, plan scheduler.Plan) {
	p.resize(v)
	p.releaseStale(v.Now())
	t := v.Tracker(tracker)
	for p.next(v, t, plan) {
	}
}

// next launches one more task on the tracker, if there is one.
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
		if len(u.wanting) == 0 {
			continue
		}
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

// fromUser launches the user's first task that may run on the tracker. mayWait says whether it matters that a task would fit if
// there were more room.
func (p *Policy) fromUser(v scheduler.View, u *user, t *scheduler.Tracker, plan scheduler.Plan, mayWait bool) outcome {
	found := nothing
	size, free := sizeOf(t), freeOf(t)
	for _, x := range u.wanting {
		for _, k := range [2]job.TaskType{job.Reduce, job.Map} {
			fits := x.needs[k].within(free)
			if !x.open[k] || !x.needs[k].within(size) || !fits && (found == waits || !mayWait) {
				continue
			}
			if k == job.Reduce && !p.guard.Allows(v, v.Job(x.seq)) {
				continue
			}
			index, ok := pick(v, x.seq, k, t.Handle)
			switch {
			case !ok:
			case !fits:
				found = waits
			case plan.Launch(job.Task{Job: x.seq, Type: k, Index: index}, t.Handle, job.Container):
				return given
			}
		}
	}
	return found
}

func pick(v scheduler.View, seq int32, k job.TaskType, tracker int32) (index int32, ok bool) {
	if k == job.Reduce {
		return v.PickReduce(seq, tracker)
	}
	index, _, ok = v.PickMap(seq, tracker, job.OffSwitch)
	return index, ok
}

// sizeOf is what a tracker has. One that has not told its cores has as many as anybody wants.
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

// releaseStale gives up trackers that have not asked for work for long.
func (p *Policy) releaseStale(now int64) {
	p.holds = slices.DeleteFunc(p.holds, func(h hold) bool { return h.at+stale < now })
}
