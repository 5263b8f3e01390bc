package replay

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/simulator/trace"
)

// Model selects how the durations of reduces are computed.
type Model uint8

// The models differ in the shuffle (SIM sections III and IV-C).
const (
	// SimMR makes a reduce that waited for the maps take a first shuffle and the reduce phase after
	// the end of the last map. Reduces that start later take a typical shuffle and the reduce phase.
	SimMR Model = iota
	// Mumak makes every reduce take only its reduce phase, because Hadoop's Mumak does not model the
	// shuffle. A reduce that waited for the maps starts this phase at the end of the last map.
	Mumak
)

// Times computes the durations of one job's tasks. It retains the trace's job.
type Times struct {
	job     *trace.Job
	model   Model
	seed    uint64
	of      [2][]int32 // reduces with a typical (index 0) and a first (index 1) shuffle
	grouped bool
}

// NewTimes returns the Times of a job. The argument seed should be the run's seed. If a reduce
// needs a shuffle of the kind that was not recorded for it, Times uses the shuffle of another
// reduce of the job. The selection depends on seed, submission time, and index. If the job has no
// shuffle of that kind, the reduce keeps its own.
func NewTimes(j *trace.Job, m Model, seed uint64) Times { return Times{job: j, model: m, seed: seed} }

// Job returns the trace's job.
func (t *Times) Job() *trace.Job { return t.job }

// Map returns the duration of a map in ms, at least 1.
func (t *Times) Map(index int32) int64 { return max(1, t.job.Maps[index].Time) }

// Reduce returns the durations in ms of a reduce's two parts: shuffle and sort, and the rest. If
// first is set, the reduce held its slot before the last map ended, and the shuffle counts from the
// end of the last map.
func (t *Times) Reduce(index int32, first bool) (shuffle, rest int64) {
	r := &t.job.Reduces[index]
	rest = max(1, r.Time)
	switch {
	case t.model == Mumak:
		return 0, rest
	case r.First == first:
		return max(0, r.Shuffle), rest
	}
	return max(0, t.job.Reduces[t.other(index, first)].Shuffle), rest
}

// other returns a reduce that has a shuffle of the requested kind, or index if there is none.
func (t *Times) other(index int32, first bool) int32 {
	if !t.grouped {
		t.grouped = true
		for i := range t.job.Reduces {
			k := kind(t.job.Reduces[i].First)
			t.of[k] = append(t.of[k], int32(i))
		}
	}
	have := t.of[kind(first)]
	if len(have) == 0 {
		return index
	}
	return have[Below(Draw(t.seed, StreamShuffle, uint64(t.job.Submit), uint64(index)), len(have))]
}

func kind(first bool) int {
	if first {
		return 1
	}
	return 0
}

// Failed returns the time in ms, at least 1, after which an attempt failed in the recording. If no
// failure of the attempt is recorded, ok is false.
func (t *Times) Failed(id job.Attempt) (ms int64, ok bool) {
	var failed []int64
	if id.Type == job.Map {
		failed = t.job.Maps[id.Index].Failed
	} else {
		failed = t.job.Reduces[id.Index].Failed
	}
	if int(id.N) >= len(failed) {
		return 0, false
	}
	return max(1, failed[id.N]), true
}
