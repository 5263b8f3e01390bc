package estimate

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// total sums durations of one phase: whole numbers, so that the order in which they come does not matter.
type total struct{ n, sum, max int64 }

func (t *total) add(d int64) {
	d = max(0, d)
	t.n++
	t.sum += d
	t.max = max(t.max, d)
}

func (t *total) phase() Phase {
	if t.n == 0 {
		return Phase{}
	}
	return Phase{Avg: float64(t.sum) / float64(t.n), Max: float64(t.max)}
}

// Measure extracts a profile from the times of a job's successful attempts, as MRProfiler does (SIM section III-A): the shuffle
// of a reduce that began before the last map ended is a first one, and counts from the end of that map; any other counts
// from its start and is typical. The zero Measure has seen nothing.
type Measure struct {
	maps, first, typical, reduces total
	mapEnd, end                   int64 // of the last map and of the last task, in milliseconds since the epoch
}

// Map counts a map.
func (m *Measure) Map(start, finish int64) {
	m.maps.add(finish - start)
	m.mapEnd, m.end = max(m.mapEnd, finish), max(m.end, finish)
}

// Reduce counts a reduce; all maps that it waited for must have been counted. sortDone = 0 says that it is not known where
// its shuffle ended: all is reduce then.
func (m *Measure) Reduce(start, sortDone, finish int64) { m.reduce(m.mapEnd, start, sortDone, finish) }

func (m *Measure) reduce(mapEnd, start, sortDone, finish int64) {
	m.end = max(m.end, finish)
	from := max(start, mapEnd)
	if sortDone == 0 {
		m.reduces.add(finish - from)
		return
	}
	sortDone = min(max(sortDone, start), finish) // by another clock
	shuffle := &m.typical
	if start < mapEnd {
		shuffle = &m.first
	}
	shuffle.add(sortDone - from)
	m.reduces.add(finish - max(sortDone, from))
}

// Counted gives the number of tasks that were measured.
func (m *Measure) Counted() [2]int32 { return [2]int32{int32(m.maps.n), int32(m.reduces.n)} }

// Profile gives what was measured.
func (m *Measure) Profile() Profile {
	return Profile{Map: m.maps.phase(), First: m.first.phase(), Typical: m.typical.phase(), Reduce: m.reduces.phase()}
}

// weight is how many measured tasks a phase of a given profile is worth: after as many the two count alike.
const weight = 8

// Blend gives what was measured together with what was known before.
func (m *Measure) Blend(prior Profile) Profile {
	return Profile{
		Map: m.maps.blend(prior.Map), First: m.first.blend(prior.First),
		Typical: m.typical.blend(prior.Typical), Reduce: m.reduces.blend(prior.Reduce),
	}
}

func (t *total) blend(prior Phase) Phase {
	if t.n == 0 {
		return prior
	}
	measured := t.phase()
	if prior == (Phase{}) {
		return measured
	}
	n := float64(t.n)
	b := Phase{
		Avg: (float64(weight*prior.Avg) + float64(t.sum)) / (weight + n),
		Max: (float64(weight*prior.Max) + float64(n*measured.Max)) / (weight + n),
	}
	b.Max = max(b.Max, measured.Max, b.Avg)
	return b
}

// Of measures attempts that are over; those that did not succeed do not count.
func Of(maps, reduces []*scheduler.Attempt) (m Measure) {
	for _, a := range maps {
		if a.State == job.AttemptSucceeded {
			m.Map(a.Start, a.Finish)
		}
	}
	for _, a := range reduces {
		if a.State == job.AttemptSucceeded {
			m.reduce(endBefore(maps, a.Finish, m.mapEnd), a.Start, a.SortDone, a.Finish)
		}
	}
	return m
}

// endBefore is the end of the last map that a reduce which ended then had waited for. Maps that ended later ran again, because
// their output was lost.
func endBefore(maps []*scheduler.Attempt, finish, last int64) int64 {
	if last <= finish {
		return last
	}
	last = 0
	for _, a := range maps {
		if a.State == job.AttemptSucceeded && a.Finish <= finish {
			last = max(last, a.Finish)
		}
	}
	return last
}
