package estimate

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
)

const steady = "map=1000,first=100,typical=300,reduce=500"

func predictor(v *fakeView) *Predictor {
	l := NewLearner()
	l.Reset(v)
	return NewPredictor(l)
}

func expect(t *testing.T, want float64, v *fakeView, slots [2]int32, delta float64) {
	t.Helper()
	finish, ok := predictor(v).Finish(v, 1, slots)
	require.True(t, ok)
	require.InDelta(t, want, float64(finish-v.now), delta)
}

// A job that has not started takes its makespan: two waves of maps and two of reduces.
func TestPredictsFromTheStart(t *testing.T) {
	v := newView(8, 8, steady)
	v.job.Pending = [2]int32{8, 0}
	expect(t, 2*1000+100+500+300+500, v, [2]int32{4, 4}, 150)
}

func TestPredictsWhileMapsRun(t *testing.T) {
	v := newView(4, 0, steady)
	for i := range int32(4) {
		v.start(job.Map, i, 400)
	}
	v.now = 1000
	expect(t, 400, v, [2]int32{4, 0}, 0)
}

func TestPredictsTheLastReduces(t *testing.T) {
	v := newView(1, 2, steady)
	v.start(job.Map, 0, 1000)
	v.start(job.Reduce, 0, 1500)
	v.start(job.Reduce, 1, 1500)
	v.end(job.Map, 0, 2000)
	v.now = 2050
	expect(t, 50+500, v, [2]int32{1, 2}, 0)
	for _, a := range v.running[job.Reduce] {
		a.SortDone = 2100
	}
	v.now = 2400
	expect(t, 200, v, [2]int32{1, 2}, 0)
	v.now = 9000 // older than the longest, so expected to end now
	expect(t, 0, v, [2]int32{1, 2}, 0)
}

// Without a profile, the progress of running maps determines the duration of maps. Finish assumes
// that reduces take as long as maps.
func TestPredictsFromProgress(t *testing.T) {
	v := newView(4, 2, "")
	_, ok := predictor(v).Finish(v, 1, [2]int32{4, 2})
	require.False(t, ok, "nothing is known")
	for i := range int32(4) {
		v.start(job.Map, i, 1000).Progress = 250_000
	}
	v.now = 1500
	expect(t, 1500+2000, v, [2]int32{4, 2}, 0)
}

func TestPredictsNothing(t *testing.T) {
	v := newView(4, 2, steady)
	p := predictor(v)
	_, ok := p.Finish(v, 2, [2]int32{4, 4})
	require.False(t, ok, "no such job")
	_, ok = p.Finish(v, 1, [2]int32{0, 4})
	require.False(t, ok, "no slot")
	_, ok = p.Finish(v, 1, [2]int32{4, 0})
	require.False(t, ok, "no slot")
	v.job.State = job.Succeeded
	_, ok = p.Finish(v, 1, [2]int32{4, 4})
	require.False(t, ok, "it has ended")
}

func TestPresentSlots(t *testing.T) {
	v := newView(40, 2, steady)
	require.Equal(t, [2]int32{4, 2}, Present(v, 1), "what the cluster has")
	v.start(job.Map, 0, 1000)
	require.Equal(t, [2]int32{1, 2}, Present(v, 1), "what it has itself")
	require.Zero(t, Present(v, 2))
}

func TestPredictionAllocatesNothing(t *testing.T) {
	v := newView(40, 20, steady)
	for i := range int32(4) {
		v.start(job.Map, i, 1000)
	}
	p := predictor(v)
	p.Finish(v, 1, [2]int32{4, 4})
	require.Zero(t, testing.AllocsPerRun(100, func() { p.Finish(v, 1, [2]int32{4, 4}) }))
}

// If a profile contains any part of the reduces, Finish does not guess the rest.
func TestPredictsFromAPartOfTheReduces(t *testing.T) {
	for profile, want := range map[string]float64{"map=1000,reduce=500": 1500, "map=1000,first=100": 1100,
		"map=1000": 2000} {
		expect(t, want, newView(1, 1, profile), [2]int32{1, 1}, 0)
	}
}

const spread = "map=1000/3000,first=100/400,typical=300/700,reduce=500/900"

// A prediction is the mean of two bounds. One is the work divided by the slots, and the other is at
// least the longest task (SIM section V-A).
func TestPredictsTheMeanOfBothBounds(t *testing.T) {
	expect(t, (1500+3000)/2, newView(3, 0, spread), [2]int32{2, 0}, 0)
	expect(t, 4*1000/2, newView(4, 0, steady), [2]int32{2, 0}, 0)
	first := (600. + 1300) / 2
	expect(t, 2000+first, newView(1, 1, spread), [2]int32{1, 1}, 0)
	both := (600. + 800 + 1600) / 2
	expect(t, 2000+both, newView(1, 2, spread), [2]int32{1, 1}, 0)
}

// A task that is as old as the average can end at any time until it is as old as the longest. The
// prediction is the middle of that period.
func TestPredictsATaskOfAverageAge(t *testing.T) {
	v := newView(1, 0, spread)
	v.start(job.Map, 0, 1000)
	v.now = 2000
	expect(t, (3000-1000)/2, v, [2]int32{1, 0}, 0)
}

// Failed tasks of a job that tolerates them are not left to do.
func TestPredictsWithoutFailedTasks(t *testing.T) {
	v := newView(2, 0, steady)
	v.job.Failed[job.Map] = 1
	expect(t, 1000, v, [2]int32{1, 0}, 0)

	v = newView(2, 3, steady)
	v.start(job.Map, 0, 1000)
	v.end(job.Map, 0, 2000)
	v.job.Failed[job.Map] = 1
	v.job.Finished[job.Reduce], v.job.Failed[job.Reduce] = 1, 1
	expect(t, 300+500, v, [2]int32{1, 1}, 0)
}

// Running tasks keep their slots, even if the caller passes fewer.
func TestPredictsThatRunningTasksKeepSlots(t *testing.T) {
	v := newView(2, 2, steady)
	for i := range int32(2) {
		v.start(job.Map, i, 1000)
		v.start(job.Reduce, i, 1000)
	}
	for n := range int32(3) {
		expect(t, 1000+100+500, v, [2]int32{n, n}, 0)
	}
}

// While maps run, reduces that have a slot have a first shuffle, and the others have a typical one.
func TestPredictsTheShuffleOfEachWave(t *testing.T) {
	v := newView(1, 4, steady)
	v.start(job.Map, 0, 1000)
	v.start(job.Reduce, 0, 1000)
	v.start(job.Reduce, 1, 1000)
	expect(t, 1000+(3*(100+500)+300+500)/3., v, [2]int32{1, 3}, 1)
}

// A reduce that starts when the last map ends has a typical shuffle.
func TestPredictsAReduceThatStartsAtTheEndOfTheMaps(t *testing.T) {
	v := newView(1, 1, steady)
	v.start(job.Map, 0, 1000)
	v.end(job.Map, 0, 2000)
	v.start(job.Reduce, 0, 2000)
	v.now = 2050
	expect(t, 250+500, v, [2]int32{1, 1}, 0)
}

// After the last map, the progress of reduces determines their duration. Finish ignores reduces
// without progress and reduces that start now. Before the end of the last map, it ignores the
// progress of all reduces.
func TestPredictsReducesFromProgress(t *testing.T) {
	v := newView(3, 3, "")
	v.start(job.Map, 0, 1000)
	v.end(job.Map, 0, 2000)
	v.job.Failed[job.Map] = 1
	v.start(job.Reduce, 0, 2000).Progress = 250_000
	v.start(job.Reduce, 1, 2000)
	v.start(job.Reduce, 2, 2500).Progress = 1
	last := v.start(job.Map, 1, 2500)
	v.now = 2500
	expect(t, 1000+1000, v, [2]int32{1, 3}, 0)
	last.Start = 1500
	v.end(job.Map, 0, 2500)
	expect(t, 2000, v, [2]int32{1, 3}, 0)
}
