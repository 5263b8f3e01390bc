package speculation

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// Hadoop 1.x: a task is slow from exactly the lag and exactly the gap on. The oldest one comes first.
func TestJudgmentOfHadoop1(t *testing.T) {
	f := &phase{set: &settings{lag: 60_000, gap: 0.2, interval: 5000}, at: map[int32]int32{}}
	v := &attempts{now: 100_000, all: map[job.Attempt]*scheduler.Attempt{},
		job: scheduler.Job{Tasks: [2]int32{5, 9}, Finished: [2]int32{1, 9}}}
	v.run(f, 0, 0, 40_000, 300_000) // the average is (1 + 0.3 + 0.1 + 0.8 + 0.3) / 5 = 0.5
	v.run(f, 1, 0, 30_000, 100_000)
	v.run(f, 2, 0, 40_000, 800_000)
	v.run(f, 3, 0, 40_001, 300_000)
	require.EqualValues(t, 105_000, hadoop1{}.judge(&Policy{}, v, f))
	require.Equal(t, []int32{1, 0}, f.candidates)
	v.all[id(0, 0)].Progress, v.all[id(3, 0)].Progress = 300_001, 299_999
	f.candidates = nil
	hadoop1{}.judge(&Policy{}, v, f)
	require.Equal(t, []int32{1}, f.candidates)
}

// Hadoop 2: the task with the largest gain is slow if the gain is positive. Of equal ones, the first
// counts. At least one task and 5% of all tasks must have succeeded.
func TestJudgmentOfHadoop2(t *testing.T) {
	for _, x := range []struct {
		tasks, finished int32
		mean            int64
		want            []int32
	}{
		{20, 1, 9000, []int32{2}}, {21, 1, 9000, nil}, {20, 0, 9000, nil}, {20, 1, 0, nil},
		{20, 1, 89_999, []int32{2}}, {20, 1, 90_000, nil},
	} {
		f := &phase{set: &settings{retryNo: 1000, retryYes: 15_000}, at: map[int32]int32{}}
		v := &attempts{now: 10_000, all: map[job.Attempt]*scheduler.Attempt{},
			job: scheduler.Job{Tasks: [2]int32{x.tasks, 99}, Finished: [2]int32{x.finished, 99}}}
		v.run(f, 3, 0, 0, 100_000) // ends at 100 s
		v.run(f, 2, 0, 0, 100_000)
		v.run(f, 4, 0, 0, 100_000)
		v.run(f, 5, 0, 0, 200_000)
		v.run(f, 6, 0, 0, 10_000) // has two attempts
		v.run(f, 6, 1, 0, 10_000)
		if x.mean > 0 {
			f.succeeded(1, x.mean)
		}
		next := int64(11_000)
		if x.want != nil {
			next = 25_000
		}
		require.Equal(t, next, mrv2{}.judge(&Policy{}, v, f), "%+v", x)
		require.Equal(t, x.want, f.candidates, "%+v", x)
	}
	// An attempt that should already have ended has no gain.
	_, ok := expectedGain(&scheduler.Attempt{Progress: 1_000_000}, 1, 0)
	require.False(t, ok)
	gain, ok := expectedGain(&scheduler.Attempt{}, 1, 0)
	require.True(t, ok)
	require.EqualValues(t, 10_000-1, gain, "the least progress is 0.0001")
}

// LATE: tasks below the threshold are slow once they have run for the lag. The one that ends last
// comes first. Slow trackers are known only while there are slow tasks.
func TestJudgmentOfLate(t *testing.T) {
	f := &phase{set: &settings{lag: 5000, interval: 1000, slowNode: 1}, at: map[int32]int32{}}
	v := &few{slots: []int32{2}, all: 2, now: 10_000, attempts: map[job.Attempt]*scheduler.Attempt{}}
	for i, a := range []scheduler.Attempt{{Progress: 100_000}, {Progress: 200_000}, {Progress: 900_000},
		{Start: 5001, Progress: 1}, {Start: 5000, Progress: 100_000}} {
		a.ID = id(int32(i), 0)
		f.started(a.ID)
		v.attempts[a.ID] = &a
	}
	p := &Policy{}
	require.EqualValues(t, 11_000, late{}.judge(p, v, f))
	require.Equal(t, []int32{0, 4, 1}, f.candidates, "90, 45, and 40 s are left")
	require.EqualValues(t, 2, f.limit)
	require.Empty(t, f.slow)
	for h, millis := range []int64{1000, 1000, 4000} {
		f.succeeded(int32(h), millis)
	}
	for range 2 {
		f.candidates = nil
		late{}.judge(p, v, f)
		require.Equal(t, []int32{0, 4, 1, 2}, f.candidates, "the successful attempts were all faster")
		require.Equal(t, []int32{2}, f.slow)
	}
	f.candidates, v.now = nil, 4999
	late{}.judge(p, v, f)
	require.Empty(t, f.candidates)
	require.Empty(t, f.slow)
}

// The threshold for a slow tracker is strict, and only trackers with attempts count.
func TestSlowTrackersByWork(t *testing.T) {
	f := &phase{set: &settings{byPercentile: true, percentile: 50}, at: map[int32]int32{}}
	for h, n := range []int{1, 2, 3} {
		for range n {
			f.succeeded(int32(h), 100)
		}
	}
	v := &worked{few: few{slots: []int32{1, 1, 1, 1}, now: 5, attempts: map[job.Attempt]*scheduler.Attempt{}}}
	p := &Policy{phases: map[job.Task]*phase{{}: f}}
	require.Equal(t, []int32{0}, p.slowTrackers(v, f))
	f.started(id(0, 0))
	v.attempts[id(0, 0)] = &scheduler.Attempt{Tracker: 0, Progress: 900_000}
	f.started(id(1, 0))
	v.attempts[id(1, 0)] = &scheduler.Attempt{Tracker: 0, Progress: 200_000}
	require.Equal(t, []int32{0}, p.slowTrackers(v, f), "the same time, the same result")
	v.now++
	require.Equal(t, []int32{1}, p.slowTrackers(v, f), "2.1 tasks, 2 tasks, 3 tasks, and nothing")
}

// worked is a view that has one job, too.
type worked struct{ few }

func (*worked) Jobs() []int32 { return []int32{0} }
