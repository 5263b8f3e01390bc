package replay

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/simulator/trace"
)

// Model says how long reduces take.
type Model uint8

// The models of a reduce that holds a slot before the last map is done (SIM section III and IV-C).
const (
	// SimMR: from the end of the maps a first shuffle and the reduce; of later ones a typical shuffle and the reduce.
	SimMR Model = iota
	// Mumak: from the end of the maps the reduce alone. Hadoop's Mumak knows no shuffle.
	Mumak
)

// Times tells how long the tasks of one job take. It keeps the trace's job.
type Times struct {
	job     *trace.Job
	model   Model
	seed    uint64
	of      [2][]int32 // reduces with a typical (0) and a first (1) shuffle
	grouped bool
}

// NewTimes makes the times of a job. seed should be the run's: a reduce whose recorded shuffle is of the other kind gets one
// of its job's shuffles of the right kind, chosen by seed, submission time and index; only if the job has none it keeps its own.
func NewTimes(j *trace.Job, m Model, seed uint64) Times { return Times{job: j, model: m, seed: seed} }

// Job gives the trace's job.
func (t *Times) Job() *trace.Job { return t.job }

// Map is how long a map takes, in ms; at least 1.
func (t *Times) Map(index int32) int64 { return max(1, t.job.Maps[index].Time) }

// Reduce gives the two parts of a reduce in ms: shuffle and sort, and what follows. first says that it held its slot before
// the last map was done; the shuffle then counts from that moment.
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

// other chooses a reduce whose shuffle is of the wanted kind.
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

// Failed gives how long attempt n of a task ran before it failed, as recorded; ok is false if it did not fail.
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
