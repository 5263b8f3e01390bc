package tasklevel

import (
	"errors"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
)

// Capacity is how many slots the cluster has from a time on, because others use its nodes too. Tasks that run go on.
type Capacity struct {
	At    int64 // ms, as the trace counts
	Slots [2]int32
}

// checkCapacity refuses changes that are not in order or not possible.
func checkCapacity(list []Capacity) error {
	ordered := slices.IsSortedFunc(list, func(a, b Capacity) int { return int(max(-1, min(1, a.At-b.At))) })
	if !ordered {
		return failure.New(failure.Config, "simulate", "capacity", errors.New("changes are not in order of time"))
	}
	for _, c := range list {
		if min(c.Slots[0], c.Slots[1]) < 0 || max(c.Slots[0], c.Slots[1]) > maxSlots {
			return failure.New(failure.Config, "simulate", "capacity", errors.New("want 0 to a million slots of a kind"))
		}
	}
	return nil
}

// nextCapacity tells when the slots change next.
func (e *engine) nextCapacity() int64 {
	if len(e.changes) == 0 {
		return never
	}
	return max(e.now, e.changes[0].At+e.shift)
}

// change brings the slots to what they are now, spread over the trackers as at the beginning.
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
		e.open.note(t)
		e.tell(&event.Event{Type: event.TrackerChanged, Tracker: t.Handle, Slots: t.Slots})
	}
}

// part is how many of the cluster's slots tracker i has.
func (e *engine) part(slots [2]int32, i int, k job.TaskType) int32 {
	n := int32(len(e.trackers))
	s := slots[k] / n
	if int32(i) < slots[k]%n {
		s++
	}
	return s
}
