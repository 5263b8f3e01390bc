package dhfs

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/pool"
)

// room holds the limits of Algorithm 1 for a tracker. The slot type indexes its arrays.
type room struct {
	free [2]int32 // slots that this tracker should still fill
	lend [2]int64 // slots that the cluster should still lend
}

// algorithm1 decides whether one phase must borrow slots from the other, and how many of its own
// slots of each type the tracker should fill. The case numbers are those of the pseudocode. The
// text of section III-A uses different numbers.
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
	} // Cases 1 and 2: no slots to borrow or to lend
	for k := range job.TaskType(2) {
		if capacity[k] > 0 {
			part := pool.Part(demand[k]+r.lend[k], b.all.Slots[k], p.set.LoadMaxDiff, b.t.Slots[k])
			r.free[k] = part - b.t.Used[k]
		}
	}
	return r
}

// poolIndependent assigns tasks one by one. Tasks first get slots of their own type (intra-phase),
// starting with the type that has fewer used slots on the tracker. Then tasks get borrowed slots
// (inter-phase). Within a phase, pools are in the order of the Fair Scheduler.
func (p *Policy) poolIndependent(v scheduler.View, b *beat) {
	open := [2]bool{true, true} // whether a job might have a task of the type for this tracker
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
