package jobtracker

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
)

// failing returns the report of an attempt that failed while processing the given records.
func failing(id job.Attempt, start, length int64) heartbeat.AttemptReport {
	return heartbeat.AttemptReport{Attempt: id, State: job.AttemptFailed, Kind: failure.User, Text: "bad record",
		Range: job.Range{Start: start, Length: length}}
}

// A task that fails twice runs in skipping mode. The machine halves the range of suspect records
// until the loss is small enough. A snapshot preserves this state.
func TestSkippingNarrows(t *testing.T) {
	r := newRig(t)
	tt := r.register("tt1", "h1", "/r", 1, 1, 1)
	s := spec(1, 0)
	s.SkipAfter, s.MapSkip, s.MapAttempts = 2, 1, 20
	seq := r.submit(s)
	next := func(n int32, plan string, reports ...heartbeat.AttemptReport) job.Attempt {
		t.Helper()
		d := r.beat(tt, reports...)
		id := mapAttempt(seq, 0, n)
		require.Equal(t, []job.Attempt{id}, d.Run)
		p, ok := r.m.SkipPlan(id)
		require.Equal(t, plan != "", ok)
		if ok {
			again, _ := r.replayed().SkipPlan(id)
			require.Equal(t, p, again, "the snapshot tells the same")
		}
		switch plan {
		case "nothing":
			require.Empty(t, p.Skip)
		case "test":
			require.True(t, p.Test)
		case "skip":
			require.False(t, p.Test)
			require.Equal(t, []job.Range{{Start: 12, Length: 1}}, p.Skip)
		}
		return id
	}
	a := next(0, "")
	a = next(1, "", failing(a, 7, 7))
	a = next(2, "nothing", failing(a, 7, 7))              // outside skipping mode the report's range does not count
	a = next(3, "test", failing(a, 10, 4))                // the test covers 10 and 11
	a = next(4, "test", says(job.AttemptSucceeded, a)...) // so 12 or 13 is bad; the next test covers 12
	a = next(5, "skip", failing(a, 12, 1))
	info, _ := r.m.AttemptInfo(mapAttempt(seq, 0, 3))
	require.Equal(t, job.AttemptFailed, info.State)
	require.Contains(t, info.Text, "skipping test")
	r.beat(tt, says(job.AttemptSucceeded, a)...)
	require.Equal(t, OutCommit, r.asks[0].Kind)
	task, _ := r.m.TaskInfo(a.Task)
	require.EqualValues(t, 5, task.Failures)
	require.EqualValues(t, 5, task.Winner)
	require.NoError(t, r.m.Err())
	for _, b := range r.m.jobs.Get(seq).blamed {
		require.EqualValues(t, 4, b.failures, "a test that reached its end is no fault")
	}
}

// The machine starts no second attempt of a task in skipping mode, because each attempt has a
// different plan.
func TestNoTwinsInSkippingMode(t *testing.T) {
	r := newRig(t)
	a, b := r.register("a", "h1", "/r", 1, 1, 1), r.register("b", "h2", "/r", 1, 1, 1)
	s := spec(1, 0)
	s.SkipAfter, s.MapSkip = 1, 1
	seq := r.submit(s)
	require.Len(t, r.beat(a).Run, 1)
	require.Empty(t, r.beat(b).Run)
	r.beat(a, failing(mapAttempt(seq, 0, 0), 0, 0)) // the next attempt goes to b, because the task failed on a
	require.Len(t, r.beat(b).Run, 1)
	require.False(t, r.twin(job.Task{Job: seq}, r.register("c", "h3", "/r", 1, 1, 1)))
}

// Skipping tests count as attempts, so the limit on a task's attempts ends them.
func TestSkippingEndsWithTheAttempts(t *testing.T) {
	r := newRig(t)
	tt := r.register("tt1", "h1", "/r", 1, 1, 1)
	s := spec(1, 0)
	s.SkipAfter, s.MapSkip, s.MapAttempts = 0, 1, 3
	seq := r.submit(s)
	r.beat(tt)
	for n := range int32(3) {
		_, ok := r.m.SkipPlan(mapAttempt(seq, 0, n))
		require.Equal(t, n > 0, ok, "the first attempt knows of nothing to skip")
		r.beat(tt, failing(mapAttempt(seq, 0, n), 0, 1000))
	}
	info, _ := r.m.JobInfo(seq)
	require.Equal(t, job.Aborting, info.State)
}

// Only a job that accepts the loss of records runs tasks in skipping mode. Such a job can accept it
// for maps, for reduces, or for both.
func TestWhichTasksSkip(t *testing.T) {
	for _, c := range []struct{ maps, reduces int64 }{{0, 0}, {1, 0}, {0, 1}, {1, 1}} {
		r := newRig(t)
		a := r.register("a", "h1", "/r", 1, 1, 1)
		s := spec(1, 1)
		s.MapSkip, s.ReduceSkip, s.SkipAfter, s.SlowStart = c.maps, c.reduces, 1, 0
		seq := r.submit(s)
		first := []job.Attempt{mapAttempt(seq, 0, 0), reduceAttempt(seq, 0, 0)}
		require.Equal(t, first, r.beat(a).Run)
		r.beat(a, failing(first[0], 0, 1), failing(first[1], 0, 1))
		second := r.beat(a).Run
		require.Len(t, second, 2)
		for i, want := range []bool{c.maps > 0, c.reduces > 0} {
			require.EqualValues(t, 1, second[i].N)
			_, ok := r.m.SkipPlan(second[i])
			require.Equal(t, want, ok, "%+v: %v", c, second[i])
			_, ok = r.m.SkipPlan(first[i])
			require.False(t, ok, "it has ended")
		}
		r.m.Kill(second[0], "x")
		_, ok := r.m.SkipPlan(second[0])
		require.False(t, ok, "it has ended, too")
		_, ok = r.m.SkipPlan(mapAttempt(seq, 0, 9))
		require.False(t, ok, "no such attempt")
	}
}

// Setup and cleanup tasks read no records, so they never run in skipping mode.
func TestSetupNeverSkips(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	s := spec(1, 1)
	s.Committer, s.MapSkip, s.ReduceSkip = true, 1, 1
	r.submit(s)
	setup := r.beat(a).Run[0]
	require.Equal(t, job.Setup, setup.Type)
	again := r.beat(a, failing(setup, 0, 1)).Run
	require.Len(t, again, 1)
	require.EqualValues(t, 1, again[0].N)
	_, ok := r.m.SkipPlan(again[0])
	require.False(t, ok)
}
