package tasklevel

import (
	"math/bits"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// open contains, for each kind of slot, a bit set of the trackers with a free slot. It avoids a search
// over all trackers.
type open [2][]uint64

// note updates the bit of the tracker for slots of kind k.
func (o *open) note(t *scheduler.Tracker, k job.TaskType) {
	i := uint32(t.Handle - 1)
	if bit := uint64(1) << (i % 64); t.Free(k) > 0 {
		o[k][i/64] |= bit
	} else {
		o[k][i/64] &^= bit
	}
}

func (o *open) noteAll(t *scheduler.Tracker) {
	o.note(t, job.Map)
	o.note(t, job.Reduce)
}

// waits reports whether a task is pending that could run in slots of kind k.
func (e *engine) waits(k job.TaskType) bool {
	return e.pending[k] > 0 || e.lends && e.pending[1-k] > 0
}

// suits reports whether the tracker has a free slot of kind k in which a pending task could run.
func (e *engine) suits(t *scheduler.Tracker, k job.TaskType) bool { return e.waits(k) && t.Free(k) > 0 }

// assign calls the policy for each tracker with a suitable slot until the policy starts no more
// tasks on it. It stops when no task is pending. It also calls the policy for the first tracker
// with any free slot, so that a policy that updates its shares in Assign does so while tasks are
// pending.
func (e *engine) assign() {
	called := false
	for w := 0; w < len(e.open[0]) && e.pending != [2]int64{}; w++ {
		left := uint64(0)
		for k := range job.TaskType(2) {
			if e.waits(k) {
				left |= e.open[k][w]
			}
		}
		if some := e.open[job.Map][w] | e.open[job.Reduce][w]; !called && some != 0 {
			left |= some & -some
			called = true
		}
		for ; left != 0 && e.pending != [2]int64{}; left &= left - 1 {
			e.fill(&e.trackers[w*64+bits.TrailingZeros64(left)])
		}
	}
}

func (e *engine) fill(t *scheduler.Tracker) {
	for {
		before := e.launchN
		e.policy.Assign(e, t.Handle, e)
		if e.launchN == before || !e.suits(t, job.Map) && !e.suits(t, job.Reduce) {
			return
		}
	}
}
