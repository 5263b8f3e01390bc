package replay

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/simulator/trace"
)

// Model determines how the durations of reduces are computed.
type Model uint8

// The models differ in the shuffle (SIM sections III and IV-C).
const (
	// SimMR models the shuffle. When the last map ends, a reduce that waited for the maps still
	// needs a first shuffle and the reduce phase. A reduce that starts later needs a typical
	// shuffle and the reduce phase.
	SimMR Model = iota
	// Mumak does not model the shuffle, like Hadoop's Mumak, so every reduce needs only its reduce
	// phase. A reduce that waited for the maps starts this phase when the last map ends.
	Mumak
)

// Times computes the durations of one job's tasks. It stores equal durations as a single number and
// does not keep the trace's job.
type Times struct {
	model   Model
	seed    uint64
	submit  int64
	maps    series
	shuffle series // of reduces
	rest    series
	rare    *rare // nil for most jobs
}

// rare holds what few jobs have, so that the Times of all others are small.
type rare struct {
	early  []int64              // of reduces: their first shuffles; nil if shuffle contains both kinds
	kinds  []bool               // of reduces: has a first shuffle; nil if all are of the same kind
	failed map[job.Task][]int64 // durations of failed attempts; the task's job is 0
	of     *[2][]int32          // reduces with a typical (index 0) and a first (index 1) shuffle; made by other
}

// A series is a list of durations in ms.
type series struct {
	same int64 // if each is nil
	each []int64
}

func newSeries(n int, at func(int) int64) (s series) {
	for i := range n {
		switch v := at(i); {
		case s.each != nil:
			s.each[i] = v
		case i == 0:
			s.same = v
		case v != s.same:
			s.each = make([]int64, n)
			for k := range i {
				s.each[k] = s.same
			}
			s.each[i] = v
		}
	}
	return s
}

func (s *series) at(i int32) int64 {
	if s.each == nil {
		return s.same
	}
	return s.each[i]
}

// NewTimes returns the Times of the job. seed should be the run's seed. If a reduce needs a kind of
// shuffle that was not recorded for it, Times uses the shuffle of another reduce in the job. The
// selection depends on the seed, submission time, and index. If the job has no shuffle of that
// kind, the reduce keeps its own.
func NewTimes(j *trace.Job, m Model, seed uint64) Times {
	t := Times{model: m, seed: seed, submit: j.Submit}
	t.maps = newSeries(len(j.Maps), func(i int) int64 { return j.Maps[i].Time })
	t.shuffle = newSeries(len(j.Reduces), func(i int) int64 { return j.Reduces[i].Shuffle })
	t.rest = newSeries(len(j.Reduces), func(i int) int64 { return j.Reduces[i].Time })
	mixed := false
	for i := range j.Reduces {
		mixed = mixed || j.Reduces[i].First != j.Reduces[0].First
		t.keepFailed(job.Reduce, i, j.Reduces[i].Failed)
	}
	for i := range j.Maps {
		t.keepFailed(job.Map, i, j.Maps[i].Failed)
	}
	if mixed {
		kinds := make([]bool, len(j.Reduces))
		for i := range j.Reduces {
			kinds[i] = j.Reduces[i].First
		}
		t.unusual().kinds = kinds
	}
	return t
}

// unusual returns t.rare. It creates it if necessary.
func (t *Times) unusual() *rare {
	if t.rare == nil {
		t.rare = &rare{}
	}
	return t.rare
}

// Drawn holds durations of one job's tasks in ms, by index. Unlike a recorded reduce, each reduce
// has durations for both kinds of shuffle.
type Drawn struct {
	Maps           []int64
	First, Typical []int64 // of reduces: shuffle and sort
	Rest           []int64 // of reduces: time after the sort
}

// Times returns the Times of the job. The caller must not change the lists afterward.
func (d *Drawn) Times() Times {
	return Times{maps: series{each: d.Maps}, shuffle: series{each: d.Typical}, rest: series{each: d.Rest},
		rare: &rare{early: d.First}}
}

func (t *Times) keepFailed(k job.TaskType, i int, ms []int64) {
	if len(ms) == 0 {
		return
	}
	r := t.unusual()
	if r.failed == nil {
		r.failed = map[job.Task][]int64{}
	}
	r.failed[job.Task{Type: k, Index: int32(i)}] = ms
}

// Map returns the duration of the map in ms, at least 1.
func (t *Times) Map(index int32) int64 { return max(1, t.maps.at(index)) }

// Reduce returns the durations of the reduce's two parts in ms. The first part consists of shuffle
// and sort, and the second part is the rest. If first is set, the reduce held its slot before the
// last map ended, and the shuffle counts from the end of the last map.
func (t *Times) Reduce(index int32, first bool) (shuffle, rest int64) {
	rest = max(1, t.rest.at(index))
	switch {
	case t.model == Mumak:
		return 0, rest
	case t.rare == nil: // if all shuffles are of the other kind, the reduce keeps its own
	case t.rare.early != nil && first:
		return max(0, t.rare.early[index]), rest
	case t.rare.kinds != nil && t.rare.kinds[index] != first:
		index = t.other(index, first)
	}
	return max(0, t.shuffle.at(index)), rest
}

// other returns the index of a reduce that has a shuffle of the requested kind. The job must have
// shuffles of both kinds.
func (t *Times) other(index int32, first bool) int32 {
	r := t.rare
	if r.of == nil {
		r.of = new([2][]int32)
		for i, first := range r.kinds {
			k := kind(first)
			r.of[k] = append(r.of[k], int32(i))
		}
	}
	have := r.of[kind(first)]
	return have[Below(Draw(t.seed, StreamShuffle, uint64(t.submit), uint64(index)), len(have))]
}

func kind(first bool) int {
	if first {
		return 1
	}
	return 0
}

// Failed returns the time in ms, at least 1, after which the attempt failed in the recording. If no
// failure of the attempt is recorded, ok is false.
func (t *Times) Failed(id job.Attempt) (ms int64, ok bool) {
	if t.rare == nil {
		return 0, false
	}
	id.Job = 0
	failed := t.rare.failed[id.Task]
	if int(id.N) >= len(failed) {
		return 0, false
	}
	return max(1, failed[id.N]), true
}
