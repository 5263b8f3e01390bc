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

// A job that has not begun takes its makespan: two waves of maps, and two of reduces.
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
	v.now = 9000 // older than any: due now
	expect(t, 0, v, [2]int32{1, 2}, 0)
}

// Without a profile the progress of running maps tells how long one takes; a reduce is taken for as long as a map.
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
