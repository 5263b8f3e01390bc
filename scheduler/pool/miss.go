package pool

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
)

// misses remembers on which trackers a job has no pending map near its input, so that a thousand jobs that wait for their data
// are passed over quickly. It only grows until a map of the job comes back.
type misses struct {
	off  bool     // which maps may run where can change without a map coming back: a task failed somewhere
	bits []uint64 // by handle of tracker
}

// maxHandle bounds the memory; trackers beyond it are asked every time.
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

// begin says what may be remembered of a job that the index has just heard of. One that has run before may have had failures.
// There is room for the trackers that there are, so that no beat has to make it.
func (m *misses) begin(v *scheduler.Job, trackers []int32) {
	if n := len(trackers); n > 0 && len(v.Spec.Splits) > 0 {
		m.bits = make([]uint64, 0, min(trackers[n-1], maxHandle)>>6+1)
	}
	m.off = v.Running[job.Map]+v.Finished[job.Map]+v.Failed[job.Map] > 0
}

// observe forgets what a fact about the job may have changed.
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
