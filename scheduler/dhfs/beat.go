package dhfs

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// A beat is the state of one call to Assign.
type beat struct {
	t     *scheduler.Tracker
	all   scheduler.Totals
	given [2]int32 // tasks that this beat has started, by type
}

// demand returns the paper's demand for slots of each type. The demand is the number of slots for
// pending tasks plus the number of used slots. Used slots count regardless of the type of their
// task.
//
// Hadoop's slots have no identity. The paper therefore computes the used map slots of a tracker as
// min(running maps, map slots) + max(running reduces - reduce slots, 0). In howdah every task
// occupies a slot of a known type, so demand counts the used slots.
func (p *Policy) demand(b *beat) (d [2]int64) {
	for k := range job.TaskType(2) {
		d[k] = p.x.Pending(k) + int64(b.all.Used[k])
	}
	return d
}

// more returns how many more slots of type k may be lent.
func (p *Policy) more(b *beat, k job.TaskType) int64 {
	slots := int64(b.all.Slots[k])
	if p.opt.ofUnused {
		slots -= int64(b.all.Used[k]) - p.lent[k]
	}
	return max(0, p.opt.lendable(k, slots)-p.lent[k])
}

// mayGive reports whether the settings of the Fair Scheduler permit one more task of type k in this
// beat.
func (p *Policy) mayGive(b *beat, k job.TaskType) bool {
	if !p.set.AssignMultiple && b.given[job.Map]+b.given[job.Reduce] > 0 {
		return false
	}
	return b.given[k] < p.set.PerBeat[k]
}

// gave counts one launched task of type k and refreshes the totals of the cluster.
func (b *beat) gave(v scheduler.View, k job.TaskType) {
	b.given[k]++
	b.all = v.Cluster()
}
