package jobtracker

import (
	"math/bits"
	"slices"

	"github.com/howdah/howdah/job"
)

// Waiting tasks are offered to trackers with room. The machine keeps the set of these trackers, so
// that an offer in a full cluster does not look at all trackers.

// room is what a tracker can do with waiting tasks.
type room uint8

const (
	noRoom  room = iota // it is full or may receive no new work
	open                // it has room, and the machine has not woken it
	awaited             // it has room, and the machine has woken it but has no report yet
)

// noteRoom updates the set of trackers with room. Every change to a tracker's resources, to
// trackerWorks, or to woken must call it.
func (m *Machine) noteRoom(t *tracker) {
	now := noRoom
	switch {
	case !trackerWorks(t) || !m.hasRoom(t):
	case t.woken:
		now = awaited
	default:
		now = open
	}
	if now == t.room {
		return
	}
	switch t.room {
	case open:
		m.open.remove(t.view.Handle)
	case awaited:
		m.awaited--
	}
	switch t.room = now; now {
	case open:
		m.open.add(t.view.Handle)
	case awaited:
		m.awaited++
	}
}

// wake wakes trackers that have news: different attempts or limits, or a chance to get work. It
// offers work to at most as many trackers as there are waiting tasks.
func (m *Machine) wake() {
	if m.grew {
		m.grew = false
		m.offer()
	}
	for _, t := range m.told {
		if t.news && t != m.answering && !t.lost {
			m.out = append(m.out, Output{Kind: OutWake, Tracker: t.view.Handle})
			t.woken = true
			m.noteRoom(t)
		}
		t.news = false
	}
	m.told = m.told[:0]
}

// tell marks a tracker for the next wake.
func (m *Machine) tell(t *tracker) {
	if !t.news {
		t.news = true
		m.told = append(m.told, t)
	}
}

// offer marks trackers with room for the next wake. Each call continues where the previous one
// stopped, so that small jobs do not all go to the same trackers.
func (m *Machine) offer() {
	want := m.waiting() - m.awaited
	if len(m.live) == 0 || m.waiting() == 0 {
		return
	}
	first := m.live[m.nextWake%len(m.live)]
	for _, part := range [2][2]int32{{first, m.lastID}, {0, first - 1}} {
		for h := m.open.next(part[0]); h >= 0 && h <= part[1] && want > 0; h = m.open.next(h + 1) {
			t := m.trackers.Get(h)
			if t == m.answering || t.news {
				continue
			}
			m.tell(t)
			if want--; want == 0 {
				at, _ := slices.BinarySearch(m.live, h)
				m.nextWake = (at + 1) % len(m.live)
			}
		}
	}
}

// waiting returns the number of waiting tasks, where a job's setup or cleanup tasks count as one.
func (m *Machine) waiting() int64 {
	return m.pending[job.Map] + m.pending[job.Reduce] + int64(len(m.chores))
}

// hasChance reports whether work is waiting and a tracker has room for some of it.
func (m *Machine) hasChance(t *tracker) bool {
	return m.waiting() > 0 && trackerWorks(t) && m.hasRoom(t)
}

// handles is a set of tracker handles, as bits.
type handles []uint64

func (s *handles) add(h int32) {
	for int(h>>6) >= len(*s) {
		*s = append(*s, 0)
	}
	(*s)[h>>6] |= 1 << (h & 63)
}

func (s handles) remove(h int32) { s[h>>6] &^= 1 << (h & 63) }

// next returns the lowest handle in the set that is at least from, or -1 if there is none.
func (s handles) next(from int32) int32 {
	for i := int(from >> 6); i < len(s); i++ {
		word := s[i]
		if i == int(from>>6) {
			word &= ^uint64(0) << (from & 63)
		}
		if word != 0 {
			return int32(i<<6 + bits.TrailingZeros64(word))
		}
	}
	return -1
}
