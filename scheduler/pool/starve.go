package pool

import (
	"cmp"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// starve records when a pool last had its due share. job.Map and job.Reduce index its arrays.
type starve struct {
	atMin  [2]int64 // last time with its min share or its whole demand
	atHalf [2]int64 // last time with half of its fair share or its whole demand
}

func newStarve(now int64) starve { return starve{[2]int64{now, now}, [2]int64{now, now}} }

// clock records the times of the last update of shares and the last check for preemption.
type clock struct{ updated, checked int64 }

// watches reports whether any pool has a starvation timeout, so that the index must track
// starvation.
func (s *Settings) watches() bool { return s.Pools.timeouts() }

// overdue reports whether the pool has starved for tasks of type k for longer than a timeout.
func (s *Settings) overdue(p *Pool, now int64, k job.TaskType) bool {
	return now-p.starve.atMin[k] > p.MinShareTimeout || now-p.starve.atHalf[k] > s.Pools.FairShareTimeout
}

// NextDeadline returns the time of the next Tick, in ms since the Unix epoch; 0 means never. A Tick
// is necessary to update shares after a change, to check a starving pool, or to end the boost of a
// new job.
func (x *Totals) NextDeadline() int64 {
	at := x.boosted
	if x.set.watches() && len(x.queue.Items) > 0 && (x.moved || x.starving) {
		update := x.clock.updated + x.set.UpdateInterval
		if at == 0 || update < at {
			at = update
		}
	}
	return at
}

// Lent selects how preemption treats tasks in slots of the other kind.
type Lent uint8

// The values of Lent.
const (
	LentAsOthers Lent = iota // like any other task of their type
	LentKept                 // never killed
	LentFirst                // killed first, for tasks of the slot's own kind
)

// Tick ends boosts, updates shares, and finds starving pools. If preemption is enabled, it kills
// tasks for them. out is the number of slots of each kind that tasks of the other type occupy.
func (x *Totals) Tick(v scheduler.View, plan scheduler.Plan, lent Lent, out [2]int64) {
	x.endBoosts(v)
	if !x.set.watches() || v.Now() < x.clock.updated+x.set.UpdateInterval {
		return
	}
	x.Update(v)
	if !x.set.Preemption || x.set.PreemptionOnlyLog || v.Now() < x.clock.checked+x.set.PreemptionInterval {
		return
	}
	x.clock.checked = v.Now()
	for k := range job.TaskType(2) {
		x.preempt(v, plan, k, lent, x.dying(v, k, out))
	}
}

// Update computes fair shares and records which pools have their due share
// (FairScheduler.updatePreemptionVariables).
func (x *Totals) Update(v scheduler.View) {
	x.moved, x.starving = false, false
	x.clock.updated = v.Now()
	slots := v.Cluster().Slots
	for k := range job.TaskType(2) {
		x.shares(k, slots[k])
		for i, p := range x.byName.Items {
			p.Fair[k] = x.share[i].Fair
			if p.Running[k] >= min(p.Min[k], p.Demand[k]) {
				p.starve.atMin[k] = v.Now()
			}
			if p.Running[k] >= int32(min(p.Fair[k]/2, float64(p.Demand[k]))) {
				p.starve.atHalf[k] = v.Now()
			}
			x.starving = x.starving || p.starve.atMin[k] < v.Now() || p.starve.atHalf[k] < v.Now()
		}
	}
}

// endPeace extends the state of the last update until now. Nothing has changed since then, so each
// pool that had its due share still has it. The caller must call endPeace before every change.
func (x *Totals) endPeace(now int64) {
	if x.moved || !x.set.watches() {
		return
	}
	for _, p := range x.byName.Items {
		for k := range p.starve.atMin {
			if p.starve.atMin[k] == x.clock.updated {
				p.starve.atMin[k] = now
			}
			if p.starve.atHalf[k] == x.clock.updated {
				p.starve.atHalf[k] = now
			}
		}
	}
	x.clock.updated = now
}

// shares computes the fair shares of all pools for type k. x.share contains the results, in the
// order of byName.
func (x *Totals) shares(k job.TaskType, slots int32) {
	x.share = x.share[:0]
	for _, p := range x.byName.Items {
		x.share = append(x.share, Share{Weight: p.Weight, Min: p.Min[k], Demand: p.Demand[k]})
	}
	FairShares(x.share, slots)
}

// owed returns how many slots other pools must give up for the pool (FairScheduler.tasksToPreempt).
func (x *Totals) owed(p *Pool, now int64, k job.TaskType) int32 {
	n := int32(0)
	if now-p.starve.atMin[k] > p.MinShareTimeout {
		n = max(n, min(p.Min[k], p.Demand[k])-p.Running[k])
	}
	if now-p.starve.atHalf[k] > x.set.Pools.FairShareTimeout {
		n = max(n, int32(min(p.Fair[k], float64(p.Demand[k])))-p.Running[k])
	}
	return n
}

// A victim is an attempt that preemption may kill.
type victim struct {
	pool *Pool
	at   int64 // start time
	size int32 // slots
	id   job.Attempt
	lent bool // occupies a slot of the other kind, which tasks of that kind now need
}

// dying returns how many slots of kind k are still occupied by killed tasks. preempt counts these
// slots as freed.
func (x *Totals) dying(v scheduler.View, k job.TaskType, out [2]int64) int32 {
	alive := x.run[k] - out[1-k] + out[k]
	return int32(max(0, int64(v.Cluster().Used[k])-alive))
}

// preempt kills tasks for pools that have starved for longer than a timeout
// (FairScheduler.preemptTasks). It kills the newest tasks of pools that are above their fair share.
// With LentFirst, it kills tasks in lent slots before others, regardless of the share of their
// pool. freed is the number of slots that are about to become free.
func (x *Totals) preempt(v scheduler.View, plan scheduler.Plan, k job.TaskType, lent Lent, freed int32) {
	owed := -freed
	for _, p := range x.byName.Items {
		owed += x.owed(p, v.Now(), k)
	}
	if owed <= 0 {
		return
	}
	x.findVictims(v, k, lent)
	for _, w := range x.found {
		if owed <= 0 {
			break
		}
		// Running already reflects earlier kills, because Observe has processed them.
		why := "preempted: pool " + w.pool.Name + " is above its fair share"
		switch {
		case w.lent:
			why = "preempted: pools reclaim the slot that they lent"
		case float64(w.pool.Running[k]) <= w.pool.Fair[k]:
			continue
		}
		if plan.Kill(w.id, why) {
			owed -= w.size
		}
	}
	clear(x.found)
}

// findVictims collects the tasks of pools above their fair share, newest first. With LentFirst, it
// also collects tasks of the other type in slots of kind k, and puts them first. It skips pools
// that must not be preempted.
func (x *Totals) findVictims(v scheduler.View, k job.TaskType, lent Lent) {
	x.found = x.found[:0]
	for _, j := range x.queue.Items {
		if !j.Pool.Preemptable {
			continue
		}
		if float64(j.Pool.Running[k]) > j.Pool.Fair[k] {
			x.addVictims(v, j, k, func(a *scheduler.Attempt) bool { return lent == LentAsOthers || a.Slot == k }, false)
		}
		if lent == LentFirst {
			x.addVictims(v, j, 1-k, func(a *scheduler.Attempt) bool { return a.Slot == k }, true)
		}
	}
	slices.SortFunc(x.found, newest)
}

// addVictims adds the running tasks of the job for which the may function returns true.
func (x *Totals) addVictims(v scheduler.View, j *Job, typ job.TaskType, may func(*scheduler.Attempt) bool, lent bool) {
	x.buf = v.Running(j.Seq, typ, x.buf[:0])
	for _, a := range x.buf {
		if may(a) {
			x.found = append(x.found, victim{pool: j.Pool, at: a.Start, size: max(1, a.Width), id: a.ID, lent: lent})
		}
	}
}

// newest orders tasks in lent slots first, then by start time, latest first.
func newest(a, b victim) int {
	if a.lent != b.lent {
		if a.lent {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(b.id.Job, a.id.Job), cmp.Compare(b.id.Index, a.id.Index),
		cmp.Compare(b.id.N, a.id.N))
}
