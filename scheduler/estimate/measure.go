package estimate

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// A total holds the number, sum, and maximum of the durations of one phase, in milliseconds. Integers
// make the sum independent of the order.
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

// A Measure computes a profile from the times of a job's successful attempts, as MRProfiler does
// (SIM section III-A). If a reduce started before the last map ended, it has a first shuffle, which
// counts from the end of that map. Otherwise it has a typical shuffle, which counts from the start
// of the reduce. The zero Measure is empty.
type Measure struct {
	maps, first, typical, reduces total
	mapEnd, end                   int64 // ends of the last map and the last task, in milliseconds since the Unix epoch
}

// Map adds a successful map.
func (m *Measure) Map(start, finish int64) {
	m.maps.add(finish - start)
	m.mapEnd, m.end = max(m.mapEnd, finish), max(m.end, finish)
}

// Reduce adds a successful reduce. Before that, add all maps for which the reduce waited. If
// sortDone is 0, the end of the shuffle is unknown. The reduce phase then counts from the start of
// the reduce or the end of the last map, whichever is later.
func (m *Measure) Reduce(start, sortDone, finish int64) { m.reduce(m.mapEnd, start, sortDone, finish) }

func (m *Measure) reduce(mapEnd, start, sortDone, finish int64) {
	m.end = max(m.end, finish)
	from := max(start, mapEnd)
	if sortDone == 0 {
		m.reduces.add(finish - from)
		return
	}
	sortDone = min(max(sortDone, start), finish) // times from different clocks
	shuffle := &m.typical
	if start < mapEnd {
		shuffle = &m.first
	}
	shuffle.add(sortDone - from)
	m.reduces.add(finish - max(sortDone, from))
}

// Counted returns the number of measured tasks, by type.
func (m *Measure) Counted() [2]int32 { return [2]int32{int32(m.maps.n), int32(m.reduces.n)} }

// Profile returns the measured profile.
func (m *Measure) Profile() Profile {
	return Profile{Map: m.maps.phase(), First: m.first.phase(), Typical: m.typical.phase(), Reduce: m.reduces.phase()}
}

// weight is the number of measured tasks that together weigh as much as a given profile.
const weight = 8

// Blend returns the measured profile, blended with prior. The more tasks of a phase have been
// measured, the less that phase of prior counts. The maximum is never below the measured maximum.
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

// Of measures a job from its finished attempts. It uses only the successful ones.
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

// endBefore returns the end of the last map for which a reduce waited. finish is the end of that
// reduce, and last is the end of the job's last map. Maps that ended after finish ran again because
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
