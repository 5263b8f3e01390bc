package jobtracker

import (
	"fmt"
	"math"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
)

// beatList holds the live trackers in the order of their last beat. All have the same patience, so the front is always the
// next to expire and a beat costs the same however many trackers there are.
type beatList struct{ front, back *tracker }

func (l *beatList) pushBack(t *tracker) {
	t.prev, t.next = l.back, nil
	if l.back != nil {
		l.back.next = t
	} else {
		l.front = t
	}
	l.back = t
}

func (l *beatList) remove(t *tracker) {
	if t.prev != nil {
		t.prev.next = t.next
	} else {
		l.front = t.next
	}
	if t.next != nil {
		t.next.prev = t.prev
	} else {
		l.back = t.prev
	}
	t.prev, t.next = nil, nil
}

func (m *Machine) heard(t *tracker) {
	t.lastBeat = m.now
	m.beats.remove(t)
	m.beats.pushBack(t)
}

// NextDeadline tells when the next InTick is due, in milliseconds since the epoch; 0 = never.
func (m *Machine) NextDeadline() int64 {
	next := int64(math.MaxInt64)
	sooner := func(at int64) {
		if at > 0 {
			next = min(next, at)
		}
	}
	if t := m.beats.front; t != nil {
		sooner(t.lastBeat + m.cfg.Expiry)
	}
	if a := m.oldestUnsure(); a != nil {
		sooner(a.assigned + m.cfg.Expiry)
	}
	for _, seq := range m.ending {
		if j := m.jobs[seq]; !j.asked && !j.still {
			sooner(j.endAfter)
		}
	}
	for _, h := range m.avoided {
		sooner(m.trackers[h].blackAt + m.cfg.BlacklistWindow)
	}
	sooner(m.limitsUntil)
	sooner(m.policy.NextDeadline())
	if m.speculator != nil {
		sooner(m.speculator.NextDeadline())
	}
	if next == math.MaxInt64 {
		return 0
	}
	return next
}

// oldestUnsure gives the attempt that has waited longest for its tracker's first report.
func (m *Machine) oldestUnsure() *attempt {
	for m.unsureAt < len(m.unsure) {
		if a := m.unsure[m.unsureAt]; a.view.State == job.AttemptAssigned {
			return a
		}
		m.unsure[m.unsureAt] = nil
		m.unsureAt++
	}
	m.unsure, m.unsureAt = m.unsure[:0], 0
	return nil
}

// watch waits for the tracker's first report of an attempt. The list is moved to the front of its array, or it
// would grow for ever on a busy cluster.
func (m *Machine) watch(a *attempt) {
	if m.unsureAt > 0 {
		n := copy(m.unsure, m.unsure[m.unsureAt:])
		clear(m.unsure[n:])
		m.unsure, m.unsureAt = m.unsure[:n], 0
	}
	m.unsure = append(m.unsure, a)
}

// tick fires what is due.
func (m *Machine) tick() {
	for t := m.beats.front; t != nil && t.lastBeat+m.cfg.Expiry <= m.now; t = m.beats.front {
		m.loseTracker(t, fmt.Sprintf("no heartbeat for %d ms", m.now-t.lastBeat))
	}
	for a := m.oldestUnsure(); a != nil && a.assigned+m.cfg.Expiry <= m.now; a = m.oldestUnsure() {
		m.kill(a, failure.Node, "the tracker never started it")
		m.reviewChore(m.jobs[a.view.ID.Job])
	}
	for _, h := range slices.Clone(m.avoided) {
		if m.trackers[h].blackAt+m.cfg.BlacklistWindow <= m.now {
			e := m.fact(event.TrackerCleared)
			e.Tracker = h
			m.emit(e)
			m.grew = true
		}
	}
	m.finishEnding()
	m.limitsExpire()
	if at := m.policy.NextDeadline(); at > 0 && at <= m.now {
		m.policy.Tick(m, m)
	}
	m.tickSpeculator()
}

// grace moves every deadline that depends on hearing from trackers: the process was stopped and could not hear them.
func (m *Machine) grace(ms int64) {
	ms = max(0, ms)
	for t := m.beats.front; t != nil; t = t.next {
		t.lastBeat += ms
	}
	if m.limitsUntil > 0 {
		m.limitsUntil += ms
	}
	for _, a := range m.unsure[m.unsureAt:] {
		a.assigned += ms
	}
	for _, seq := range m.ending {
		m.jobs[seq].endAfter += ms
	}
}
