package jobtracker

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
)

// Maps and reduces start only in running jobs, and chores only in unfinished ones. A permanently
// failed task starts no more.
func TestAttemptsThatMayNotStart(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 2, 2)
	prep := r.submit(withCommitter(1, 1))
	aborting := r.submit(spec(1, 1))
	r.step(Input{Kind: InKillJob, Job: aborting})
	over := r.submit(withCommitter(1, 1))
	r.step(Input{Kind: InKillJob, Job: over})
	r.step(Input{Kind: InAbortDone, Job: over})
	require.Equal(t, job.Killed, r.state(over))
	s := spec(2, 0)
	s.MapAttempts, s.MapFailuresPercent = 1, 50
	tolerant := r.submit(s)
	r.force(mapAttempt(tolerant, 0, 0), a)
	r.beat(a, failed(failure.User, "boom", mapAttempt(tolerant, 0, 0))...)
	require.Equal(t, job.Running, r.state(tolerant))
	for _, c := range []struct {
		id  job.Attempt
		why string
	}{
		{mapAttempt(prep, 0, 0), "the job is PREP"},
		{reduceAttempt(prep, 0, 0), "the job is PREP"},
		{mapAttempt(aborting, 0, 0), "the job is ABORTING"},
		{reduceAttempt(aborting, 0, 0), "the job is ABORTING"},
		{setupAttempt(over, 0), "the job is KILLED"},
		{cleanupAttempt(over, job.CleanupKilled, 0), "the job is KILLED"},
		{mapAttempt(tolerant, 0, 1), "the task is FAILED"},
	} {
		e := event.Event{Type: event.AttemptStarted, Job: c.id.Job, Attempt: c.id, Tracker: a}
		require.ErrorContains(t, r.m.Apply(&e), c.why, "%v", c.id)
	}
}

// An attempt ends once. Only a skipping test can reach its end without success, and it cannot
// succeed.
func TestAttemptsEndOnce(t *testing.T) {
	r := newRig(t)
	tt := r.register("a", "h1", "/r", 1, 1, 1)
	s := spec(1, 1)
	s.SkipAfter, s.MapSkip, s.MapAttempts = 1, 1, 9
	seq := r.submit(s)
	end := func(n int32, state job.AttemptState, passed int64) error {
		return r.m.Apply(&event.Event{Type: event.AttemptFinished, Job: seq, Attempt: mapAttempt(seq, 0, n), Tracker: tt,
			State: state, N: passed})
	}
	r.beat(tt)
	require.ErrorContains(t, end(0, job.AttemptFailed, 1), "only a skipping test")
	r.beat(tt, failing(mapAttempt(seq, 0, 0), 0, 4))
	require.Error(t, end(0, job.AttemptKilled, 0))
	r.beat(tt, failing(mapAttempt(seq, 0, 1), 0, 4))
	require.ErrorContains(t, end(2, job.AttemptSucceeded, 0), "only a skipping test")
	for n := range int32(3) { // two tests, then an attempt that skips the bad record
		r.beat(tt, says(job.AttemptSucceeded, mapAttempt(seq, 0, 2+n))...)
	}
	k, _ := r.m.TaskInfo(mapAttempt(seq, 0, 0).Task)
	require.Equal(t, job.TaskSucceeded, k.State)
	require.Error(t, end(k.Winner, job.AttemptKilled, 0), "a map's output is lost with another fact")
}

// A task ends as a success or a failure. The end of the job, not a fact of its own, kills a waiting
// task.
func TestTasksAreNotKilledByFacts(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	seq := r.submit(spec(1, 0))
	r.beat(a)
	r.step(Input{Kind: InKillAttempt, Attempt: mapAttempt(seq, 0, 0)})
	err := r.m.Apply(&event.Event{Type: event.TaskFinished, Job: seq, Attempt: mapAttempt(seq, 0, 0),
		TaskState: job.TaskKilled})
	require.ErrorContains(t, err, "cannot become KILLED")
}

// Only maps are reopened, and only in a running job.
func TestOutputsThatAreNotReopened(t *testing.T) {
	r := newRig(t)
	seq, _, b := shuffling(r, 2)
	lines := says(job.AttemptSucceeded, reduceAttempt(seq, 0, 0), reduceAttempt(seq, 1, 0))
	reopen := func(id job.Attempt) error {
		return r.m.Apply(&event.Event{Type: event.TaskReopened, Job: seq, Attempt: id, State: job.AttemptKilled})
	}
	lines[1].State = job.AttemptRunning
	r.beat(b, lines...)
	require.ErrorContains(t, reopen(reduceAttempt(seq, 0, 0)), "does not hold the output of a finished map")
	r.beat(b, says(job.AttemptSucceeded, reduceAttempt(seq, 1, 0))...)
	require.Equal(t, job.Committing, r.state(seq))
	require.ErrorContains(t, reopen(mapAttempt(seq, 0, 0)), "the job is")
}

// A successful attempt has all its progress, whatever it reported last.
func TestSuccessIsFullProgress(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	seq := r.submit(spec(2, 0))
	r.beat(a)
	r.beat(a, says(job.AttemptSucceeded, mapAttempt(seq, 0, 0))...)
	require.EqualValues(t, million, r.m.Attempt(mapAttempt(seq, 0, 0)).Progress)
}
