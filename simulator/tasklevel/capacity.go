package tasklevel

import (
	"errors"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
)

// Capacity sets the cluster's number of slots, starting at a given time. It is for clusters whose
// nodes are shared with other workloads. Running tasks continue.
type Capacity struct {
	At    int64 // ms, in the trace's time
	Slots [2]int32
}

// checkCapacity returns an error if changes are out of order or set an invalid number of slots.
func checkCapacity(list []Capacity) error {
	ordered := slices.IsSortedFunc(list, func(a, b Capacity) int { return int(max(-1, min(1, a.At-b.At))) })
	if !ordered {
		return failure.New(failure.Config, "simulate", "capacity", errors.New("the changes are not in chronological order"))
	}
	for _, c := range list {
		if min(c.Slots[0], c.Slots[1]) < 0 || max(c.Slots[0], c.Slots[1]) > maxSlots {
			return failure.New(failure.Config, "simulate", "capacity", errors.New("want 0 to 1000000 slots of each kind"))
		}
	}
	return nil
}

// nextCapacity returns the time of the next change.
func (e *engine) nextCapacity() int64 {
	if len(e.changes) == 0 {
		return never
	}
	return max(e.now, e.changes[0].At+e.shift)
}

// change applies the last change that is due. It spreads the slots over the trackers in the same
// way as at the start.
func (e *engine) change() {
	due := -1
	for due+1 < len(e.changes) && e.changes[due+1].At+e.shift <= e.now {
		due++
	}
	if due < 0 {
		return
	}
	slots := e.changes[due].Slots
	e.changes = e.changes[due+1:]
	if slots == e.totals.Slots {
		return
	}
	e.totals.Slots = slots
	for i := range e.trackers {
		t := &e.trackers[i]
		t.Slots = [2]int32{e.part(slots, i, job.Map), e.part(slots, i, job.Reduce)}
		e.open.noteAll(t)
		e.tell(&event.Event{Type: event.TrackerChanged, Tracker: t.Handle, Slots: t.Slots})
	}
}

// part returns tracker i's share of the cluster's slots.
func (e *engine) part(slots [2]int32, i int, k job.TaskType) int32 {
	n := int32(len(e.trackers))
	s := slots[k] / n
	if int32(i) < slots[k]%n {
		s++
	}
	return s
}
