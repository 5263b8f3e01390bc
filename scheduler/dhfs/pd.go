package dhfs

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/pool"
)

// poolDependent is Algorithm 2: slots of both kinds are one whole. For each free slot the pools are asked in the order of
// what they have of all slots against their share of them, so a pool fills its share with whichever tasks it has.
func (p *Policy) poolDependent(v scheduler.View, b *beat) {
	for w := p.ways(b); w != (ways{}) && (p.cases1to4(v, b, w) || p.opt.relaxLocality && p.case5(v, b, w)); {
		w = p.ways(b)
	}
}

// ways tells which tasks a tracker may be given now, by type: in a slot of their own kind, or in one of the other kind once its own
// ones are in use. It is the same for all pools.
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

// idle reports whether the tracker runs fewer tasks than its part of the load (trackerCurrentSlotsCapacity, which the paper does
// not define; it is min(ceil(total demand / total capacity x its slots), its slots), as for a single kind).
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

// idleKind is the same for slots of one kind. It is enough for a task in a slot of its own kind: where slots may not be borrowed,
// or a wide task finds no two of a kind, the part of the whole can be used up although own slots are free that only this tracker has.
func (p *Policy) idleKind(b *beat, k job.TaskType) bool {
	capacity := b.all.Slots[k]
	return capacity > 0 && b.t.Used[k] < pool.Part(p.demand(b)[k], capacity, p.set.LoadMaxDiff, b.t.Slots[k])
}

// cases1to4 asks each pool for a task: a map for a map slot (1), a reduce for a reduce slot (2), a map for a reduce slot (3), a
// reduce for a map slot (4).
func (p *Policy) cases1to4(v scheduler.View, b *beat, w ways) bool {
	for _, q := range p.x.Ranked(pool.Both) {
		if w.own[job.Map] && p.give(v, b, q, job.Map, job.Map, pool.Wait) || w.own[job.Reduce] && p.give(v, b, q, job.Reduce, job.Reduce, pool.Wait) ||
			w.borrowed[job.Map] && p.give(v, b, q, job.Map, job.Reduce, pool.Wait) || w.borrowed[job.Reduce] && p.give(v, b, q, job.Reduce, job.Map, pool.Wait) {
			return true // the list has changed
		}
	}
	return false
}

// case5 gives a map far from its data: its job was asked before in this beat and had none that is near.
func (p *Policy) case5(v scheduler.View, b *beat, w ways) bool {
	for _, q := range p.x.Ranked(pool.Both) {
		if w.own[job.Map] && p.give(v, b, q, job.Map, job.Map, pool.Relax) || w.borrowed[job.Map] && p.give(v, b, q, job.Map, job.Reduce, pool.Relax) {
			return true
		}
	}
	return false
}

// give starts a task of a pool in a slot of a kind, if the pool has one for the tracker.
func (p *Policy) give(v scheduler.View, b *beat, q *pool.Pool, k, slot job.TaskType, l pool.Locality) bool {
	if !q.Waits(k) || !p.x.LaunchOf(q, k, slot, l) {
		return false
	}
	b.gave(v, k)
	return true
}
