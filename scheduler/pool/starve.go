package pool

import (
	"cmp"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// starve tells when a pool last had what it is owed. Arrays are indexed by job.Map and job.Reduce.
type starve struct {
	atMin  [2]int64 // its min share, or all that it wants
	atHalf [2]int64 // half of its fair share, or all that it wants
}

func newStarve(now int64) starve { return starve{[2]int64{now, now}, [2]int64{now, now}} }

// clock tells when shares were last computed and when starvation was last looked for.
type clock struct{ updated, checked int64 }

// watches reports whether it matters that a pool starves.
func (s *Settings) watches() bool { return s.Pools.timeouts() }

// overdue reports whether a pool has starved for longer than a timeout.
func (s *Settings) overdue(p *Pool, now int64, k job.TaskType) bool {
	return now-p.starve.atMin[k] > p.MinShareTimeout || now-p.starve.atHalf[k] > s.Pools.FairShareTimeout
}

// NextDeadline tells when Tick has something to do: shares to compute because something changed or somebody starves, or a new
// job's weight to end.
func (x *Index) NextDeadline() int64 {
	at := x.boosted
	if x.set.watches() && len(x.queue.items) > 0 && (x.moved || x.starving) {
		update := x.clock.updated + x.set.UpdateInterval
		if at == 0 || update < at {
			at = update
		}
	}
	return at
}

// Tick computes shares and looks for pools that starve; with preemption on it kills tasks for them. spare excepts attempts
// from that, nil = none.
func (x *Index) Tick(v scheduler.View, plan scheduler.Plan, spare func(*scheduler.Attempt) bool) {
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
		x.preempt(v, plan, k, spare)
	}
}

// Update computes fair shares and notes which pools have what they are owed (FairScheduler.updatePreemptionVariables).
func (x *Index) Update(v scheduler.View) {
	x.moved, x.starving = false, false
	x.clock.updated = v.Now()
	slots := v.Cluster().Slots
	for k := range job.TaskType(2) {
		x.shares(k, slots[k])
		for i, p := range x.byName.items {
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

// shares computes the fair shares of all pools, in the order of byName.
func (x *Index) shares(k job.TaskType, slots int32) {
	x.share = x.share[:0]
	for _, p := range x.byName.items {
		x.share = append(x.share, Share{Weight: p.Weight, Min: p.Min[k], Demand: p.Demand[k]})
	}
	FairShares(x.share, slots)
}

// owed is how many tasks others must give up for a pool (FairScheduler.tasksToPreempt).
func (x *Index) owed(p *Pool, now int64, k job.TaskType) int32 {
	n := int32(0)
	if now-p.starve.atMin[k] > p.MinShareTimeout {
		n = max(n, min(p.Min[k], p.Demand[k])-p.Running[k])
	}
	if now-p.starve.atHalf[k] > x.set.Pools.FairShareTimeout {
		n = max(n, int32(min(p.Fair[k], float64(p.Demand[k])))-p.Running[k])
	}
	return n
}

// victim is an attempt that may be killed.
type victim struct {
	pool *Pool
	a    *scheduler.Attempt
	id   job.Attempt
}

// preempt kills the newest tasks of pools above their fair share, none of which falls below it, for pools that have starved
// long enough (FairScheduler.preemptTasks).
func (x *Index) preempt(v scheduler.View, plan scheduler.Plan, k job.TaskType, spare func(*scheduler.Attempt) bool) {
	owed := int32(0)
	for _, p := range x.byName.items {
		owed += x.owed(p, v.Now(), k)
	}
	if owed == 0 {
		return
	}
	x.findVictims(v, k, spare)
	for _, w := range x.found {
		if owed <= 0 {
			break
		}
		// Running falls with each kill: Observe heard of the one before.
		if float64(w.pool.Running[k]) > w.pool.Fair[k] && plan.Kill(w.id, "preempted: pool "+w.pool.Name+" is above its fair share") {
			owed--
		}
	}
	clear(x.found)
}

// findVictims lists the tasks of pools above their fair share, the newest first.
func (x *Index) findVictims(v scheduler.View, k job.TaskType, spare func(*scheduler.Attempt) bool) {
	x.found = x.found[:0]
	for _, j := range x.queue.items {
		p := j.Pool
		if j.Running[k] == 0 || !p.Preemptable || float64(p.Running[k]) <= p.Fair[k] {
			continue
		}
		x.buf = v.Running(j.Seq, k, x.buf[:0])
		for _, a := range x.buf {
			if spare == nil || !spare(a) {
				x.found = append(x.found, victim{p, a, a.ID})
			}
		}
	}
	slices.SortFunc(x.found, func(a, b victim) int {
		return cmp.Or(cmp.Compare(b.a.Start, a.a.Start), cmp.Compare(b.id.Job, a.id.Job), cmp.Compare(b.id.Index, a.id.Index), cmp.Compare(b.id.N, a.id.N))
	})
}
