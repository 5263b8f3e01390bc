package dhfs

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/pool"
)

// poolDependent is Algorithm 2, which treats slots of both types as one resource. For each free
// slot, it tries the pools in the order of their usage of all slots relative to their share. A pool
// can therefore fill its share with any of its tasks.
func (p *Policy) poolDependent(v scheduler.View, b *beat) {
	for w := p.ways(b); w != (ways{}) && (p.cases1to4(v, b, w) || p.opt.relaxLocality && p.case5(v, b, w)); {
		w = p.ways(b)
	}
}

// ways records which types of tasks a tracker may get now, in their own or in borrowed slots. Tasks
// borrow only when the tracker has no free slot of their own type.
type ways struct{ own, borrowed [2]bool }

func (p *Policy) ways(b *beat) (w ways) {
	idle := p.idle(b)
	for k := range job.TaskType(2) {
		if p.mayGive(b, k) {
			w.own[k] = b.t.Free(k) > 0 && (idle || p.idleKind(b, k))
			w.borrowed[k] = b.t.Free(k) == 0 && b.t.Free(1-k) > 0 && idle && p.more(b, 1-k) > 0
		}
	}
	return w
}

// idle reports whether the tracker uses fewer slots than its share of the load,
// trackerCurrentSlotsCapacity. The paper does not define this value. It is computed with pool.Part
// from the demand and the slots of both types together.
func (p *Policy) idle(b *beat) bool {
	d := p.demand(b)
	capacity := b.all.Slots[job.Map] + b.all.Slots[job.Reduce]
	if capacity == 0 {
		return false
	}
	slots := b.t.Slots[job.Map] + b.t.Slots[job.Reduce]
	current := pool.Part(d[job.Map]+d[job.Reduce], capacity, p.set.LoadMaxDiff, slots)
	return slots-b.t.Free(job.Map)-b.t.Free(job.Reduce) < current
}

// idleKind is like idle, but for the slots of one type. For a task in a slot of its own type, this
// condition is enough. The tracker's share of both types together can be used up even though only
// this tracker still has free slots of type k. That happens if slots must not be lent, or if a wide
// task does not find two slots of the same type.
func (p *Policy) idleKind(b *beat, k job.TaskType) bool {
	capacity := b.all.Slots[k]
	return capacity > 0 && b.t.Used[k] < pool.Part(p.demand(b)[k], capacity, p.set.LoadMaxDiff, b.t.Slots[k])
}

// cases1to4 tries each pool in turn until one starts a task, and reports whether one did. The cases
// are a map in a map slot (1), a reduce in a reduce slot (2), a map in a reduce slot (3), and a
// reduce in a map slot (4).
func (p *Policy) cases1to4(v scheduler.View, b *beat, w ways) bool {
	for _, q := range p.x.Ranked(pool.Both) {
		if w.own[job.Map] && p.give(v, b, q, job.Map, job.Map, pool.Wait) || w.own[job.Reduce] &&
			p.give(v, b, q, job.Reduce, job.Reduce, pool.Wait) ||
			w.borrowed[job.Map] && p.give(v, b, q, job.Map, job.Reduce, pool.Wait) || w.borrowed[job.Reduce] &&
			p.give(v, b, q, job.Reduce, job.Map, pool.Wait) {
			return true // a launch changes the order of the pools
		}
	}
	return false
}

// case5 starts a map at any distance from its input if this beat has already tried the map's job
// without success. It reports whether it started one.
func (p *Policy) case5(v scheduler.View, b *beat, w ways) bool {
	for _, q := range p.x.Ranked(pool.Both) {
		if w.own[job.Map] && p.give(v, b, q, job.Map, job.Map, pool.Relax) || w.borrowed[job.Map] &&
			p.give(v, b, q, job.Map, job.Reduce, pool.Relax) {
			return true
		}
	}
	return false
}

// give starts a task of the pool in a slot of the given type. It returns false if the pool does not
// have such a task for the tracker.
func (p *Policy) give(v scheduler.View, b *beat, q *pool.Pool, k, slot job.TaskType, l pool.Locality) bool {
	if !q.Waits(k) || !p.x.LaunchOf(q, k, slot, l) {
		return false
	}
	b.gave(v, k)
	return true
}
