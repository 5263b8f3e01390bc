package pool

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
)

// misses records the trackers on which a job has no pending map with local input. With this record,
// a heartbeat can quickly skip a thousand jobs that wait for local slots. A miss remains valid
// until a map of the job becomes pending again.
type misses struct {
	off  bool     // record nothing: after a failure, the trackers where maps may run can change at any time
	bits []uint64 // by tracker handle
}

// maxHandle limits the memory for misses. Misses on trackers with this handle or a higher one are
// not recorded.
const maxHandle = 1 << 16

func (m *misses) has(tracker int32) bool {
	i := int(tracker >> 6)
	return i < len(m.bits) && m.bits[i]>>(tracker&63)&1 != 0
}

func (m *misses) add(tracker int32) {
	if m.off || tracker >= maxHandle {
		return
	}
	for i := int(tracker >> 6); i >= len(m.bits); {
		m.bits = append(m.bits, 0)
	}
	m.bits[tracker>>6] |= 1 << (tracker & 63)
}

// begin initializes the misses of a new job. It turns recording off if maps of the job have
// started, because one of them might have failed. It reserves memory for the current trackers, so
// that heartbeats do not allocate.
func (m *misses) begin(v *scheduler.Job, trackers []int32) {
	if n := len(trackers); n > 0 && len(v.Spec.Splits) > 0 {
		m.bits = make([]uint64, 0, min(trackers[n-1], maxHandle)>>6+1)
	}
	m.off = v.Running[job.Map]+v.Finished[job.Map]+v.Failed[job.Map] > 0
}

// observe clears the misses if a fact about the job may have made one of them invalid.
func (m *misses) observe(e *event.Event) {
	switch {
	case e.Type == event.AttemptFinished && e.State == job.AttemptSucceeded:
		return
	case e.Type == event.AttemptFinished && e.State == job.AttemptFailed, e.Type == event.TrackerBlacklisted:
		m.off = true
	case e.Type != event.AttemptFinished && e.Type != event.TaskReopened:
		return
	}
	clear(m.bits)
}
