package jobtracker

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
)

func setupAttempt(seq, n int32) job.Attempt {
	return job.Attempt{Task: job.Task{Job: seq, Type: job.Setup}, N: n}
}

func cleanupAttempt(seq, index, n int32) job.Attempt {
	return job.Attempt{Task: job.Task{Job: seq, Type: job.Cleanup, Index: index}, N: n}
}

// withCommitter returns the specification of a job with setup and cleanup tasks.
func withCommitter(maps, reduces int32) *job.Spec {
	s := spec(maps, reduces)
	s.Committer = true
	return s
}

// A job with a committer runs its setup, then its tasks, then its cleanup, and only then asks for
// its commit. It has no free map slot for its chores here, so they use the reduce slot.
func TestChoresOfASuccessfulJob(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 0, 1)
	seq := r.submit(withCommitter(0, 1))
	require.Equal(t, job.Prep, r.state(seq))
	require.Equal(t, []job.Attempt{setupAttempt(seq, 0)}, r.beat(a).Run)
	require.Equal(t, [2]int32{0, 1}, r.m.Tracker(a).Used)
	d := r.beat(a, says(job.AttemptSucceeded, setupAttempt(seq, 0))...)
	require.Equal(t, []job.Attempt{reduceAttempt(seq, 0, 0)}, d.Run)
	d = r.beat(a, says(job.AttemptSucceeded, reduceAttempt(seq, 0, 0))...)
	require.Equal(t, job.Committing, r.state(seq))
	require.Equal(t, []job.Attempt{cleanupAttempt(seq, job.CleanupCommit, 0)}, d.Run)
	require.Empty(t, r.asks)
	require.Empty(t, r.beat(a, says(job.AttemptSucceeded, d.Run...)...).Run)
	require.Equal(t, []Output{{Kind: OutCommit, Job: seq}}, r.asks)
	r.step(Input{Kind: InCommitDone, Job: seq})
	require.Equal(t, job.Succeeded, r.state(seq))
	require.Empty(t, r.beat(a).Jobs, "the tracker no longer needs the job's files")
}

// The cleanup tells whether the job was killed or has failed. A job whose setup never ran needs no
// cleanup.
func TestCleanupAfterAnAbort(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(r *rig, seq, tracker int32)
		want int32 // index of the cleanup task; -1 = none
	}{
		{"killed before its setup", func(r *rig, seq, _ int32) { r.step(Input{Kind: InKillJob, Job: seq}) }, -1},
		{"killed", func(r *rig, seq, tracker int32) {
			r.beat(tracker)
			r.beat(tracker, says(job.AttemptSucceeded, setupAttempt(seq, 0))...)
			r.step(Input{Kind: InKillJob, Job: seq})
		}, job.CleanupKilled},
		{"failed", func(r *rig, seq, tracker int32) {
			r.beat(tracker)
			r.beat(tracker, failed(failure.User, "boom", setupAttempt(seq, 0))...)
		}, job.CleanupFailed},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			a := r.register("a", "h1", "/r", 1, 1, 0)
			s := withCommitter(1, 0)
			s.MapAttempts = 1
			seq := r.submit(s)
			c.end(r, seq, a)
			require.Equal(t, job.Aborting, r.state(seq))
			if c.want >= 0 {
				require.Empty(t, r.asks)
				run := r.beat(a).Run
				require.Equal(t, []job.Attempt{cleanupAttempt(seq, c.want, 0)}, run)
				require.Empty(t, r.beat(a, says(job.AttemptSucceeded, run...)...).Run)
			}
			require.Equal(t, []Output{{Kind: OutAbort, Job: seq}}, r.asks)
		})
	}
}

// A failed setup fails the job, and a failed cleanup does not stop the abort. The job's text gives
// both reasons.
func TestChoresThatFail(t *testing.T) {
	for err, want := range map[string]string{"": "no permission", "disk full": "disk full"} {
		r := newRig(t)
		a := r.register("a", "h1", "/r", 1, 1, 0)
		s := withCommitter(1, 0)
		s.MapAttempts = 1
		seq := r.submit(s)
		r.beat(a)
		run := r.beat(a, failed(failure.User, "no directory", setupAttempt(seq, 0))...).Run
		r.beat(a, failed(failure.User, "no permission", run...)...)
		require.Equal(t, []Output{{Kind: OutAbort, Job: seq}}, r.asks)
		require.Nil(t, r.step(Input{Kind: InAbortDone, Job: seq, Err: err}).Err)
		info, _ := r.m.JobInfo(seq)
		require.Equal(t, job.Failed, info.State)
		require.Equal(t, failure.User, info.Kind)
		require.Regexp(t, "no directory; the cleanup failed too: .*"+want+"$", info.Text)
	}
}

// If the cleanup that commits a job fails, the job fails, and a second cleanup follows.
func TestCommitCleanupThatFails(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 0)
	s := withCommitter(0, 0)
	s.MapAttempts = 1
	seq := r.submit(s)
	r.beat(a)
	run := r.beat(a, says(job.AttemptSucceeded, setupAttempt(seq, 0))...).Run
	require.Equal(t, []job.Attempt{cleanupAttempt(seq, job.CleanupCommit, 0)}, run)
	run = r.beat(a, failed(failure.User, "cannot rename", run...)...).Run
	require.Equal(t, job.Aborting, r.state(seq))
	require.Equal(t, []job.Attempt{cleanupAttempt(seq, job.CleanupFailed, 0)}, run)
	info, _ := r.m.JobInfo(seq)
	require.Contains(t, info.Text, "cannot rename")
}

// A second cleanup could run at the same time as a killed one, so it waits until the tracker no
// longer reports the killed one. The wait has a limit, because the tracker might hang.
func TestNextCleanupWaitsForTheKilledOne(t *testing.T) {
	for _, hangs := range []bool{false, true} {
		r := newRig(t)
		a := r.register("a", "h1", "/r", 1, 2, 0)
		seq := r.submit(withCommitter(0, 0))
		r.beat(a)
		first := cleanupAttempt(seq, job.CleanupCommit, 0)
		require.Equal(t, []job.Attempt{first}, r.beat(a, says(job.AttemptSucceeded, setupAttempt(seq, 0))...).Run)
		r.beat(a, says(job.AttemptRunning, first)...)
		r.now += 7 * r.m.cfg.EndWait
		r.beat(a, says(job.AttemptRunning, first)...)
		require.Nil(t, r.step(Input{Kind: InKillAttempt, Attempt: first}).Err)
		require.Equal(t, r.now+r.m.cfg.EndWait, r.m.NextDeadline())
		require.Empty(t, r.beat(a, says(job.AttemptRunning, first)...).Run)
		second := []job.Attempt{cleanupAttempt(seq, job.CleanupCommit, 1)}
		if hangs {
			r.now += r.m.cfg.EndWait
			r.step(Input{Kind: InTick})
			require.Equal(t, second, r.beat(a, says(job.AttemptRunning, first)...).Run)
		} else {
			require.Equal(t, second, r.beat(a).Run)
		}
	}
}

// One heartbeat launches the chores of several jobs while they fit. A failed setup runs again, but
// elsewhere.
func TestChoresOfSeveralJobs(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	b := r.register("b", "h2", "/r", 1, 1, 0)
	for range 3 {
		r.submit(withCommitter(1, 0))
	}
	require.Equal(t, []job.Attempt{setupAttempt(1, 0), setupAttempt(2, 0)}, r.beat(a).Run)
	lines := append(failed(failure.User, "boom", setupAttempt(1, 0)), says(job.AttemptRunning, setupAttempt(2, 0))...)
	require.Equal(t, []job.Attempt{setupAttempt(2, 0), setupAttempt(3, 0)}, r.beat(a, lines...).Run)
	require.Equal(t, []job.Attempt{setupAttempt(1, 1)}, r.beat(b).Run)
}

// A policy that uses containers has no slots, so a chore needs only memory.
func TestChoresInContainers(t *testing.T) {
	r, _, register := withMemory(t)
	r.m.SetPolicy(&roomy{})
	a := register("a", 0, 0)
	seq := r.submit(withCommitter(1, 0))
	require.Equal(t, []job.Attempt{setupAttempt(seq, 0)}, r.beat(a).Run)
	require.Equal(t, job.Container, r.m.Attempt(setupAttempt(seq, 0)).Slot)
}

// A chore also fails if every tracker refuses the job while it waits.
func TestChoreThatNoTrackerCanRun(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 0)
	seq := r.submit(withCommitter(1, 0))
	r.report(&heartbeat.Report{Tracker: a, Refused: []heartbeat.Refusal{{Job: seq, Text: "no such file"}}})
	info, _ := r.m.JobInfo(seq)
	require.Equal(t, job.Aborting, info.State)
	require.Equal(t, failure.NotFound, info.Kind)
	require.Equal(t, "no such file", info.Text)
}

// Policies observe maps and reduces. They observe neither chores nor commits and limits, which only
// the machine handles.
func TestPoliciesHearNothingOfChores(t *testing.T) {
	r, p := lazyRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	seq := r.submit(withCommitter(0, 1))
	r.beat(a)
	r.beat(a, says(job.AttemptSucceeded, setupAttempt(seq, 0))...)
	require.True(t, r.m.Launch(reduceAttempt(seq, 0, 0).Task, a, job.Reduce))
	p.heard = nil
	r.step(Input{Kind: InCanCommit, Attempt: reduceAttempt(seq, 0, 0)})
	r.step(Input{Kind: InLimits, Millis: 1000, Limits: []heartbeat.Limit{{Attempt: reduceAttempt(seq, 0, 0), CPU: 1}}})
	require.Equal(t, 1, r.count(event.LimitsChanged))
	require.Empty(t, p.heard)
	r.beat(a, says(job.AttemptSucceeded, reduceAttempt(seq, 0, 0))...)
	require.Equal(t, 2, r.count(event.TaskFinished), "one of the setup, one of the reduce")
	require.Equal(t, []event.Type{event.AttemptFinished, event.TaskFinished, event.JobCommitting}, p.heard)
}

// At most one attempt of a task may commit at a time. The grant passes on when its holder ends.
func TestOneAttemptMayCommit(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 0)
	b := r.register("b", "h2", "/r", 1, 1, 0)
	seq := r.submit(spec(2, 0))
	r.beat(a)
	one, two, waiting := mapAttempt(seq, 0, 0), mapAttempt(seq, 0, 1), mapAttempt(seq, 1, 0)
	require.True(t, r.twin(one.Task, b))
	granted := func(id job.Attempt) bool {
		o := r.step(Input{Kind: InCanCommit, Attempt: id})
		require.Nil(t, o.Err)
		return o.Granted
	}
	require.True(t, granted(two))
	require.False(t, granted(one))
	require.True(t, granted(two), "the reply may have been lost")
	require.Equal(t, 1, r.count(event.CommitGranted))
	grant := func(id job.Attempt) error {
		return r.m.Apply(&event.Event{Type: event.CommitGranted, Job: seq, Attempt: id})
	}
	require.ErrorContains(t, grant(one), "another attempt may commit")
	r.step(Input{Kind: InKillAttempt, Attempt: two})
	require.ErrorContains(t, grant(two), "no such running attempt")
	require.True(t, granted(one))
	for _, id := range []job.Attempt{two, waiting} {
		require.Equal(t, failure.Stale, r.step(Input{Kind: InCanCommit, Attempt: id}).Err.Kind)
	}
	r.force(mapAttempt(seq, 0, 2), a)
	won := event.Event{Type: event.AttemptFinished, Job: seq, Attempt: one, Tracker: a, State: job.AttemptSucceeded}
	require.NoError(t, r.m.Apply(&won))
	require.ErrorContains(t, grant(mapAttempt(seq, 0, 2)), "has succeeded")
}
