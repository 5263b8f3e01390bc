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
	early   series // of reduces: their first shuffles; each is nil if shuffle contains both kinds
	rest    series
	kinds   []bool               // of reduces: has a first shuffle
	failed  map[job.Task][]int64 // durations of failed attempts; the task's job is 0
	of      *[2][]int32          // reduces with a typical (index 0) and a first (index 1) shuffle; made by other
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
	switch {
	case mixed:
		t.kinds = make([]bool, len(j.Reduces))
		for i := range j.Reduces {
			t.kinds[i] = j.Reduces[i].First
		}
	case len(j.Reduces) > 0:
		t.kinds = alike[kind(j.Reduces[0].First)]
	}
	return t
}

// alike contains the kinds of a job whose reduces are all of the same kind.
var alike = [2][]bool{{false}, {true}}

// Drawn holds durations of one job's tasks in ms, by index. Unlike a recorded reduce, each reduce
// has durations for both kinds of shuffle.
type Drawn struct {
	Maps           []int64
	First, Typical []int64 // of reduces: shuffle and sort
	Rest           []int64 // of reduces: time after the sort
}

// Times returns the Times of the job. The caller must not change the lists afterward.
func (d *Drawn) Times() Times {
	return Times{maps: series{each: d.Maps}, shuffle: series{each: d.Typical}, early: series{each: d.First},
		rest: series{each: d.Rest}}
}

func (t *Times) keepFailed(k job.TaskType, i int, ms []int64) {
	if len(ms) == 0 {
		return
	}
	if t.failed == nil {
		t.failed = map[job.Task][]int64{}
	}
	t.failed[job.Task{Type: k, Index: int32(i)}] = ms
}

// first reports whether the reduce was recorded with a first shuffle.
func (t *Times) first(index int32) bool {
	if len(t.kinds) == 1 {
		return t.kinds[0]
	}
	return t.kinds[index]
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
	case t.early.each != nil:
		if first {
			return max(0, t.early.at(index)), rest
		}
	case t.first(index) != first:
		index = t.other(index, first)
	}
	return max(0, t.shuffle.at(index)), rest
}

// other returns the index of a reduce that has a shuffle of the requested kind, or index if there
// is none.
func (t *Times) other(index int32, first bool) int32 {
	if len(t.kinds) == 1 {
		return index // all are of the other kind
	}
	if t.of == nil {
		t.of = new([2][]int32)
		for i, first := range t.kinds {
			k := kind(first)
			t.of[k] = append(t.of[k], int32(i))
		}
	}
	have := t.of[kind(first)]
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
	id.Job = 0
	failed := t.failed[id.Task]
	if int(id.N) >= len(failed) {
		return 0, false
	}
	return max(1, failed[id.N]), true
}
