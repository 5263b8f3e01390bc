package dhfs

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/pool"
)

// room is what Algorithm 1 allows a tracker. Arrays are indexed by kind of slot.
type room struct {
	free [2]int32 // slots of a kind that this tracker should still fill
	lend [2]int64 // slots of a kind that the cluster should still lend
}

// algorithm1 decides whether one phase needs slots of the other, and how many of its slots the tracker should fill. The
// text of section III-A numbers the cases otherwise than the pseudocode; here they are as in the pseudocode.
func (p *Policy) algorithm1(b *beat) (r room) {
	demand := p.demand(b)
	capacity := [2]int64{int64(b.all.Slots[job.Map]), int64(b.all.Slots[job.Reduce])}
	below := func(k job.TaskType) bool { return demand[k] < capacity[k] } // load factor < 1
	above := func(k job.TaskType) bool { return demand[k] > capacity[k] }
	switch {
	case below(job.Map) && above(job.Reduce): // Case 3: reduces borrow map slots
		r.lend[job.Map] = min(p.more(b, job.Map), demand[job.Reduce]-capacity[job.Reduce])
	case above(job.Map) && below(job.Reduce): // Case 4: maps borrow reduce slots
		r.lend[job.Reduce] = min(p.more(b, job.Reduce), demand[job.Map]-capacity[job.Map])
	} // Cases 1 and 2: nothing to borrow, or nothing to lend
	for k := range job.TaskType(2) {
		if capacity[k] > 0 {
			part := pool.Part(demand[k]+r.lend[k], b.all.Slots[k], p.set.LoadMaxDiff, b.t.Slots[k])
			r.free[k] = part - b.t.Used[k]
		}
	}
	return r
}

// poolIndependent gives tasks one after the other: first in slots of their own kind, of the type of which the tracker runs
// fewer (intra-phase); then in borrowed ones (inter-phase). Within a phase the order of pools is the Fair Scheduler's.
func (p *Policy) poolIndependent(v scheduler.View, b *beat) {
	open := [2]bool{true, true} // some job may have a task of the type for this tracker
	give := func(k, slot job.TaskType) bool {
		if !open[k] || !p.mayGive(b, k) {
			return false
		}
		if open[k] = p.x.Launch(k, slot); open[k] {
			b.gave(v, k)
		}
		return open[k]
	}
	for {
		r := p.algorithm1(b)
		own := func(k job.TaskType) bool { return r.free[k] > 0 && give(k, k) }
		borrowed := func(k job.TaskType) bool { return r.free[1-k] > 0 && r.lend[1-k] > 0 && give(k, 1-k) }
		first := job.Map
		if b.t.Used[job.Map] > b.t.Used[job.Reduce] {
			first = job.Reduce
		}
		if !own(first) && !own(1-first) && !borrowed(job.Map) && !borrowed(job.Reduce) {
			return
		}
	}
}
