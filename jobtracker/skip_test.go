package jobtracker

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// failing reports an attempt that failed with records in hand.
func failing(id job.Attempt, start, length int64) AttemptReport {
	return AttemptReport{Attempt: id, State: job.AttemptFailed, Kind: failure.User, Text: "bad record", Range: job.Range{Start: start, Length: length}}
}

// A task that fails twice runs in skipping mode; what it had in hand then is halved until little enough is lost, and the journal
// alone brings that knowledge back.
func TestSkippingNarrows(t *testing.T) {
	r := newRig(t)
	tt := r.register("tt1", "h1", "/r", 1, 1, 1)
	s := spec(1, 0)
	s.SkipAfter, s.MapSkip, s.MapAttempts = 2, 1, 20
	seq := r.submit(s)
	next := func(n int32, plan string, reports ...AttemptReport) job.Attempt {
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
	a = next(2, "nothing", failing(a, 7, 7))              // before skipping mode nobody knows what was in hand
	a = next(3, "test", failing(a, 10, 4))                // 10 and 11 are tried
	a = next(4, "test", says(job.AttemptSucceeded, a)...) // so 12 or 13 is bad: 12 is tried
	a = next(5, "skip", failing(a, 12, 1))
	info, _ := r.m.AttemptInfo(mapAttempt(seq, 0, 3))
	require.Equal(t, job.AttemptFailed, info.State)
	require.Contains(t, info.Text, "test of skipping")
	r.beat(tt, says(job.AttemptSucceeded, a)...)
	require.Equal(t, OutCommit, r.asks[0].Kind)
	task, _ := r.m.TaskInfo(a.Task)
	require.EqualValues(t, 5, task.Failures)
	require.EqualValues(t, 5, task.Winner)
	require.NoError(t, r.m.Err())
	for _, b := range r.m.jobs[seq].blamed {
		require.EqualValues(t, 4, b.failures, "a test that got through is nobody's fault")
	}
}

// In skipping mode each attempt has a purpose of its own.
func TestNoTwinsInSkippingMode(t *testing.T) {
	r := newRig(t)
	a, b := r.register("a", "h1", "/r", 1, 1, 1), r.register("b", "h2", "/r", 1, 1, 1)
	s := spec(1, 0)
	s.SkipAfter, s.MapSkip = 1, 1
	seq := r.submit(s)
	require.Len(t, r.beat(a).Run, 1)
	require.Empty(t, r.beat(b).Run)
	r.beat(a, failing(mapAttempt(seq, 0, 0), 0, 0)) // a tries again where it failed only if nobody else can
	require.Len(t, r.beat(b).Run, 1)
	require.False(t, r.twin(job.Task{Job: seq}, r.register("c", "h3", "/r", 1, 1, 1)))
}

// Tests of skipping are attempts like others: they end with the task's limit.
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
