package dhfs

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// beat is one call of Assign.
type beat struct {
	t     *scheduler.Tracker
	all   scheduler.Totals
	given [2]int32
}

// demand is the paper's demand for slots of each kind: tasks that wait plus slots that are used, by whichever type.
//
// Hadoop's slots have no identity, so the paper computes the used map slots of a tracker as min(running maps, map slots) +
// max(running reduces - reduce slots, 0). Here every task sits in a slot of a kind, and what is used is counted.
func (p *Policy) demand(b *beat) (d [2]int64) {
	for k := range job.TaskType(2) {
		d[k] = p.x.Pending(k) + int64(b.all.Used[k])
	}
	return d
}

// more is how many more slots of a kind may be lent.
func (p *Policy) more(b *beat, k job.TaskType) int64 {
	slots := int64(b.all.Slots[k])
	if p.opt.ofUnused {
		slots -= int64(b.all.Used[k]) - p.lent[k]
	}
	return max(0, p.opt.lendable(k, slots)-p.lent[k])
}

// mayGive reports whether the keys of the Fair Scheduler let this beat give one more task of a type.
func (p *Policy) mayGive(b *beat, k job.TaskType) bool {
	if !p.set.AssignMultiple && b.given[job.Map]+b.given[job.Reduce] > 0 {
		return false
	}
	return b.given[k] < p.set.PerBeat[k]
}

// gave notes a task that started.
func (b *beat) gave(v scheduler.View, k job.TaskType) {
	b.given[k]++
	b.all = v.Cluster()
}
