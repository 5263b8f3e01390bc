package speculation

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// few is a view that contains only a few trackers and attempts.
type few struct {
	scheduler.View
	slots    []int32 // by handle
	all      int32   // slots of the cluster, of each kind
	attempts map[job.Attempt]*scheduler.Attempt
	now      int64
}

func (v *few) Now() int64                                { return v.now }
func (v *few) Attempt(id job.Attempt) *scheduler.Attempt { return v.attempts[id] }
func (v *few) Cluster() scheduler.Totals                 { return scheduler.Totals{Slots: [2]int32{v.all, v.all}} }
func (v *few) Tracker(h int32) *scheduler.Tracker {
	return &scheduler.Tracker{Handle: h, Slots: [2]int32{v.slots[h], v.slots[h]}}
}
func (v *few) Trackers() (out []int32) {
	for h := range v.slots {
		out = append(out, int32(h))
	}
	return out
}

func id(index, n int32) job.Attempt { return job.Attempt{Task: job.Task{Index: index}, N: n} }

// A phase tracks its running tasks and the number of those with several running attempts, in any
// order of starts and ends.
func TestPhaseFollowsItsAttempts(t *testing.T) {
	f := &phase{at: map[int32]int32{}}
	check := func(twins int32, want map[int32][]int32) {
		t.Helper()
		got := map[int32][]int32{}
		for i := range f.running {
			got[f.running[i].index] = append([]int32(nil), f.running[i].live...)
			require.EqualValues(t, i, f.at[f.running[i].index])
		}
		require.Equal(t, want, got)
		require.Len(t, f.at, len(want))
		require.Equal(t, twins, f.twins)
	}
	f.ended(id(1, 0))
	for i := range int32(3) {
		f.started(id(i, 0))
	}
	check(0, map[int32][]int32{0: {0}, 1: {0}, 2: {0}})
	f.started(id(0, 1))
	f.started(id(0, 2))
	f.started(id(1, 1))
	check(2, map[int32][]int32{0: {0, 1, 2}, 1: {0, 1}, 2: {0}})
	f.ended(id(0, 1))
	f.ended(id(0, 9))
	check(2, map[int32][]int32{0: {0, 2}, 1: {0, 1}, 2: {0}})
	f.ended(id(0, 0))
	f.ended(id(0, 2))
	check(1, map[int32][]int32{1: {0, 1}, 2: {0}})
	f.started(id(7, 0))
	check(1, map[int32][]int32{1: {0, 1}, 2: {0}, 7: {0}})
	f.ended(id(7, 0))
	f.ended(id(2, 0))
	f.ended(id(1, 1))
	f.ended(id(1, 0))
	check(0, map[int32][]int32{})
}

// JobInProgress.isSlowTracker: a tracker is slow if its mean duration exceeds the mean of all
// trackers by slowNode standard deviations.
func TestSlowTrackersByDuration(t *testing.T) {
	f := &phase{set: &settings{}}
	f.succeeded(3, 150)
	f.succeeded(3, 250)
	for h := range int32(5) {
		if h != 3 {
			f.succeeded(h, 100)
		}
	}
	require.EqualValues(t, 800, f.done.sum)
	// The duration 200 is 80 above the mean, and the deviation is 40.
	for n, want := range map[float64][]int32{0: {3}, 1.9: {3}, 2.1: nil} {
		f.set.slowNode, f.slow = n, nil
		require.Equal(t, want, f.slowByDuration(&Policy{}), "%g", n)
	}
	f.succeeded(9, 0)
	require.EqualValues(t, 1, f.nodes[5].millis, "no duration is zero")
}

// The SpeculativeCap is a share of the slots. It is at least 1 and at least the number of slots of the
// largest tracker.
func TestCapOfSecondAttempts(t *testing.T) {
	f := &phase{set: &settings{cap: 0.1}}
	require.EqualValues(t, 10, lateCap(&few{slots: []int32{2, 4, 3}, all: 100}, f))
	require.EqualValues(t, 4, lateCap(&few{slots: []int32{2, 4, 3}, all: 20}, f))
	require.EqualValues(t, 1, lateCap(&few{}, f))
}

// The SlowTaskThreshold is slowTask standard deviations below the mean rate. Young attempts do not
// count.
func TestSlowTaskThreshold(t *testing.T) {
	v := &few{now: 10_000, attempts: map[job.Attempt]*scheduler.Attempt{}}
	f := &phase{at: map[int32]int32{}, set: &settings{lag: 5000, slowTask: 2}}
	for i, progress := range []int32{100_000, 300_000, 1} {
		f.started(id(int32(i), 0))
		v.attempts[id(int32(i), 0)] = &scheduler.Attempt{Progress: progress}
	}
	v.attempts[id(2, 0)].Start = 5001
	require.InDelta(t, 0.02-2*0.01, (&Policy{}).slowRate(v, f), 1e-12)
	f.set.slowTask = 0.5
	require.InDelta(t, 0.02-0.5*0.01, (&Policy{}).slowRate(v, f), 1e-12)
	v.attempts[id(2, 0)].Start = 5000
	require.Less(t, (&Policy{}).slowRate(v, f), 0.0134)
	f.set.byPercentile, f.set.percentile = true, 100
	require.InDelta(t, 0.03, (&Policy{}).slowRate(v, f), 1e-12)
	v.attempts[id(0, 0)].Start, v.attempts[id(1, 0)].Start = 4000, 3000
	require.EqualValues(t, 3000, f.oldest(v))
}

// A phase is judged at whole intervals, and always in the future.
func TestJudgmentsAreRoundedUp(t *testing.T) {
	for _, x := range [][3]int64{{0, 9999, 10_000}, {0, 10_000, 15_000}, {20_000, 10_000, 20_000},
		{20_001, 10_000, 25_000}} {
		p, f := &Policy{}, &phase{set: &settings{interval: 5000}}
		p.await(f, x[0], x[1])
		require.Equal(t, x[2], f.due, "%v", x)
		require.Equal(t, []*phase{f}, p.due)
		f.candidates = []int32{1}
		p.disarm(f)
		require.Empty(t, p.due)
		require.Zero(t, f.due)
		require.Empty(t, f.candidates)
	}
}

// A sample keeps only the latest durations for the rates, but the mean includes all durations.
func TestSampleForgetsOldDurations(t *testing.T) {
	var s sample
	require.Zero(t, s.mean())
	require.Empty(t, s.rates(nil))
	s.add(1000)
	s.add(500)
	require.Equal(t, []float64{1, 2}, s.rates(nil))
	require.EqualValues(t, 750, s.mean())
	for range recent {
		s.add(250)
	}
	rates := s.rates(nil)
	require.Len(t, rates, recent)
	for _, r := range rates {
		require.EqualValues(t, 4, r)
	}
	mean, std := meanAndDeviation([]float64{2, 4, 4, 4, 5, 5, 7, 9})
	require.EqualValues(t, 5, mean)
	require.EqualValues(t, 2, std)
	mean, std = meanAndDeviation(nil)
	require.Zero(t, mean)
	require.Zero(t, std)
	require.Zero(t, percentile(nil, 50))
	require.EqualValues(t, 3, percentile([]float64{3, 1}, 100))
	require.Less(t, timeLeft(&scheduler.Attempt{Progress: 1}, math.MaxInt32), timeLeft(&scheduler.Attempt{}, 1))
}
