package tasklevel

import (
	"math/bits"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// open is a bit set of the trackers with a free slot. It avoids a search over all trackers when the
// cluster is full.
type open []uint64

func (o open) note(t *scheduler.Tracker) {
	i := t.Handle - 1
	if bit := uint64(1) << (i % 64); t.Free(job.Map)+t.Free(job.Reduce) > 0 {
		o[i/64] |= bit
	} else {
		o[i/64] &^= bit
	}
}

// assign calls the policy for each tracker with a free slot until the policy starts no more tasks
// there. It stops when no task is pending.
func (e *engine) assign() {
	for w := 0; w < len(e.open) && e.pending > 0; w++ {
		for left := e.open[w]; left != 0 && e.pending > 0; left &= left - 1 {
			e.fill(&e.trackers[w*64+bits.TrailingZeros64(left)])
		}
	}
}

func (e *engine) fill(t *scheduler.Tracker) {
	for e.pending > 0 && t.Free(job.Map)+t.Free(job.Reduce) > 0 {
		before := e.launchN
		e.policy.Assign(e, t.Handle, e)
		if e.launchN == before {
			return
		}
	}
}
