package jobtracker

import (
	"fmt"
	"math"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
)

// beatList holds the live trackers in the order of their latest heartbeat, so that the cost of a
// heartbeat does not depend on the number of trackers.
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

// NextDeadline returns the time of the next InTick in milliseconds since the epoch. 0 means never.
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
		if j := m.jobs.Get(seq); !j.still {
			sooner(j.endAfter)
		}
	}
	for _, h := range m.avoided {
		sooner(m.trackers.Get(h).blackAt + m.cfg.BlacklistWindow)
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

// oldestUnsure returns the oldest attempt whose tracker has not yet reported it.
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

// watch adds an attempt that its tracker has not reported yet. It reuses the room of removed
// attempts, because otherwise the array would grow forever on a busy cluster.
func (m *Machine) watch(a *attempt) {
	if m.unsureAt > 0 && 2*m.unsureAt >= len(m.unsure) {
		n := copy(m.unsure, m.unsure[m.unsureAt:])
		clear(m.unsure[n:])
		m.unsure, m.unsureAt = m.unsure[:n], 0
	}
	m.unsure = append(m.unsure, a)
}

// tick processes due deadlines.
func (m *Machine) tick() {
	for t := m.beats.front; t != nil && t.lastBeat+m.cfg.Expiry <= m.now; t = m.beats.front {
		m.loseTracker(t, fmt.Sprintf("no heartbeat for %d ms", m.now-t.lastBeat))
	}
	for a := m.oldestUnsure(); a != nil && a.assigned+m.cfg.Expiry <= m.now; a = m.oldestUnsure() {
		m.kill(a, failure.Node, "the tracker never started the attempt")
		m.reviewChore(m.jobs.Get(a.view.ID.Job))
	}
	for _, h := range slices.Clone(m.avoided) {
		if m.trackers.Get(h).blackAt+m.cfg.BlacklistWindow <= m.now {
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

// grace extends every deadline for messages from trackers and the orchestrator, because the process
// was stopped and could not receive them.
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
		m.jobs.Get(seq).endAfter += ms
	}
}
