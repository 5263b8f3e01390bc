package jobtracker

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/fifo"
)

// restart replays the first n facts into a new machine and completes the recovery.
func (r *rig) restart(n int) {
	old := r.m
	p, err := fifo.New(scheduler.Setup{Conf: conf.New()})
	require.NoError(r.t, err)
	r.m, err = New(old.cfg, p)
	require.NoError(r.t, err)
	for i := range r.facts[:n] {
		require.NoError(r.t, r.m.Apply(&r.facts[i]))
	}
	r.facts = r.facts[:n]
	r.take(r.m.Recovered(r.now, nil))
}

func (r *rig) lastFact(t event.Type) int {
	for i := len(r.facts) - 1; i >= 0; i-- {
		if r.facts[i].Type == t {
			return i
		}
	}
	r.t.Fatalf("no fact %v", t)
	return 0
}

func TestRunningAttemptsAreAdopted(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 2, 2)
	seq := r.submit(spec(2, 1))
	r.beat(a)
	r.beat(a, append(says(job.AttemptSucceeded, mapAttempt(seq, 0, 0)),
		says(job.AttemptRunning, mapAttempt(seq, 1, 0))...)...)
	r.restart(len(r.facts))
	require.EqualValues(t, 1, r.m.Restarts())
	require.Equal(t, "200001010000", r.m.ClusterID())
	require.Len(t, r.m.Completions(seq), 1, "finished maps are not run again")
	r.seq[a] = 0
	d := r.beat(a, says(job.AttemptRunning, mapAttempt(seq, 1, 0), reduceAttempt(seq, 0, 0))...)
	require.Equal(t, []job.Attempt{mapAttempt(seq, 1, 0), reduceAttempt(seq, 0, 0)}, d.Run)
	require.True(t, d.Full, "counters were not journaled")
	d = r.report(&heartbeat.Report{Tracker: a, Full: true, Attempts: says(job.AttemptRunning, mapAttempt(seq, 1, 0),
		reduceAttempt(seq, 0, 0))})
	require.False(t, d.Full)
	require.EqualValues(t, 1, r.m.Counters(seq, false).Builtin[job.LaunchedReduces])
	require.Equal(t, [2]int32{1, 1}, r.m.Tracker(a).Used)
}

func TestTrackersHaveTimeToComeBack(t *testing.T) {
	r := newRig(t, func(c *Config) { c.RecoveryGrace = 5000 })
	a := r.register("a", "h1", "/r", 1, 1, 1)
	b := r.register("b", "h1", "/r", 1, 1, 1)
	r.now += 10 * r.m.cfg.Expiry
	r.restart(len(r.facts))
	require.Equal(t, r.now+5000, r.m.NextDeadline())
	r.now += 4999
	r.step(Input{Kind: InTick})
	r.beat(a)
	r.now++
	r.step(Input{Kind: InTick})
	require.Equal(t, []int32{a}, r.m.Trackers())
	require.True(t, r.beat(b).Register)
	require.Equal(t, r.now-1+r.m.cfg.Expiry, r.m.NextDeadline())
}

func TestGraceIsTheExpiryIfNotSet(t *testing.T) {
	r := newRig(t)
	r.register("a", "h1", "/r", 1, 1, 1)
	r.restart(len(r.facts))
	require.Equal(t, r.now+r.m.cfg.Expiry, r.m.NextDeadline())
}

func TestCommitIsResumed(t *testing.T) {
	r := newRig(t)
	seq := r.submit(spec(0, 0))
	r.restart(len(r.facts))
	require.Len(t, r.asks, 1)
	require.Equal(t, OutCommit, r.asks[0].Kind)
	r.step(Input{Kind: InCommitDone, Job: seq})
	require.Equal(t, job.Succeeded, r.state(seq))
	r.restart(len(r.facts))
	require.Empty(t, r.asks)
}

// After a restart, a killed attempt may still be running. The cleanup waits for a report from its
// tracker, up to a limit.
func TestCleanUpIsResumed(t *testing.T) {
	for _, comesBack := range []bool{true, false} {
		r := newRig(t)
		a := r.register("a", "h1", "/r", 1, 1, 1)
		seq := r.submit(spec(1, 0))
		r.beat(a)
		r.step(Input{Kind: InKillJob, Job: seq})
		r.now += 10 * r.m.cfg.EndWait
		r.restart(len(r.facts))
		require.Empty(t, r.asks)
		if comesBack {
			r.beat(a)
		} else {
			require.Equal(t, r.now+r.m.cfg.EndWait, r.m.NextDeadline())
			r.now += r.m.cfg.EndWait
			r.step(Input{Kind: InTick})
		}
		require.Len(t, r.asks, 1)
		require.Equal(t, OutAbort, r.asks[0].Kind)
	}
}

// A crash can separate a fact from its consequences. The restarted machine then makes the missing
// decisions.
func TestConclusionsAreDrawnAfterACrash(t *testing.T) {
	t.Run("admission", func(t *testing.T) {
		r := newRig(t)
		seq := r.submit(spec(1, 0))
		r.restart(r.lastFact(event.JobStarted))
		require.Equal(t, job.Running, r.state(seq))
	})
	t.Run("success", func(t *testing.T) {
		r := newRig(t)
		a := r.register("a", "h1", "/r", 1, 1, 1)
		seq := r.submit(spec(1, 0))
		r.beat(a)
		r.beat(a, says(job.AttemptSucceeded, mapAttempt(seq, 0, 0))...)
		r.restart(r.lastFact(event.TaskFinished))
		require.Equal(t, job.Committing, r.state(seq))
		require.Equal(t, OutCommit, r.asks[0].Kind)
	})
	t.Run("commit", func(t *testing.T) {
		r := newRig(t)
		seq := r.submit(spec(0, 0))
		r.restart(r.lastFact(event.JobCommitting))
		require.Equal(t, job.Committing, r.state(seq))
	})
	t.Run("failure", func(t *testing.T) {
		r := newRig(t)
		a := r.register("a", "h1", "/r", 1, 1, 1)
		s := spec(1, 0)
		s.MapAttempts = 1
		seq := r.submit(s)
		r.beat(a)
		r.beat(a, failed(failure.User, "boom", mapAttempt(seq, 0, 0))...)
		r.restart(r.lastFact(event.TaskFinished))
		require.Equal(t, job.Aborting, r.state(seq))
		r.restart(r.lastFact(event.JobAborting))
		require.Equal(t, job.Aborting, r.state(seq))
	})
	t.Run("kill", func(t *testing.T) {
		r := newRig(t)
		a := r.register("a", "h1", "/r", 1, 1, 1)
		seq := r.submit(spec(1, 0))
		r.beat(a)
		r.step(Input{Kind: InKillJob, Job: seq})
		r.restart(r.lastFact(event.JobAborting))
		require.Equal(t, job.Aborting, r.state(seq))
		require.Empty(t, r.run(a))
	})
	t.Run("lost tracker", func(t *testing.T) {
		r := newRig(t)
		a := r.register("a", "h1", "/r", 1, 1, 1)
		seq := r.submit(spec(2, 1))
		r.beat(a)
		r.beat(a, says(job.AttemptSucceeded, mapAttempt(seq, 0, 0))...)
		r.step(Input{Kind: InTrackerLeave, Tracker: a})
		r.restart(r.lastFact(event.TrackerLost) + 1)
		require.Equal(t, [2]int32{2, 0}, r.m.Job(seq).Pending, "all runs again")
		require.Zero(t, r.m.Job(seq).Running[job.Map])
	})
	t.Run("success on a lost tracker", func(t *testing.T) {
		r := newRig(t)
		a := r.register("a", "h1", "/r", 1, 1, 1)
		seq := r.submit(spec(2, 1))
		r.beat(a)
		r.beat(a, says(job.AttemptSucceeded, mapAttempt(seq, 0, 0))...)
		r.facts = append(r.facts[:r.lastFact(event.TaskFinished)], // what follows the attempt's success is not durable
			event.Event{Type: event.TrackerLost, Tracker: a, Time: r.now})
		r.restart(len(r.facts))
		require.Equal(t, [2]int32{2, 0}, r.m.Job(seq).Pending, "the output is lost with its tracker")
	})
	t.Run("twin", func(t *testing.T) {
		r := newRig(t)
		a := r.register("a", "h1", "/r", 1, 2, 1)
		seq := r.submit(spec(2, 0))
		r.beat(a)
		r.m.Kill(mapAttempt(seq, 1, 0), "x")
		r.beat(a, says(job.AttemptRunning, mapAttempt(seq, 0, 0))...)
		r.step(Input{Kind: InTick})
		require.False(t, r.m.Launch(mapAttempt(seq, 0, 0).Task, a, job.Map))
	})
}

func TestRefusedFactsChangeNothing(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	seq := r.submit(spec(1, 1))
	r.beat(a)
	over := r.submit(spec(0, 0))
	r.step(Input{Kind: InCommitDone, Job: over})
	before := dump(r.m)
	id := mapAttempt(seq, 0, 0)
	for _, e := range []event.Event{
		{Type: event.None},
		{Type: 200},
		{Type: event.TrackerJoined, Tracker: a, Name: "x"},
		{Type: event.TrackerJoined, Tracker: 0, Name: "x"},
		{Type: event.TrackerLost, Tracker: 9},
		{Type: event.TrackerChanged, Tracker: 9},
		{Type: event.TrackerBlacklisted, Tracker: 9},
		{Type: event.TrackerBlacklisted, Tracker: a, Job: 9},
		{Type: event.TrackerCleared, Tracker: 9},
		{Type: event.TrackerDraining, N: int64(DrainDelayed)},
		{Type: event.TrackerDraining, Name: "a", N: int64(numDrains)},
		{Type: event.TrackerDraining, Name: "a", N: -1},
		{Type: event.JobSubmitted, Job: 9},
		{Type: event.JobSubmitted, Job: seq, Spec: spec(1, 0)},
		{Type: event.JobSubmitted, Job: 0, Spec: spec(1, 0)},
		{Type: event.JobSubmitted, Job: 9, Spec: spec(1, -1)},
		{Type: event.JobSubmitted, Job: 9, Spec: spec(1, maxTasks)},
		{Type: event.JobStarted, Job: 9},
		{Type: event.JobStarted, Job: seq},
		{Type: event.JobPriorityChanged, Job: over},
		{Type: event.JobDeadlineChanged, Job: over},
		{Type: event.JobMoved, Job: over},
		{Type: event.JobKillRequested, Job: over},
		{Type: event.JobCommitting, Job: seq},
		{Type: event.JobFinished, Job: seq, JobState: job.Succeeded},
		{Type: event.JobAborting, Job: over},
		{Type: event.JobRetired, Job: seq},
		{Type: event.JobRetired, Job: 9},
		{Type: event.JobRetired, Job: 4, N: 5},
		{Type: event.JobRetired, Job: 9, N: 1},
		{Type: event.JobRetired, Job: 2, N: 2},
		{Type: event.AttemptStarted, Job: seq, Attempt: mapAttempt(seq, 1, 0), Tracker: a},
		{Type: event.AttemptStarted, Job: seq, Attempt: mapAttempt(seq, 0, 2), Tracker: a},
		{Type: event.AttemptStarted, Job: over, Attempt: reduceAttempt(seq, 0, 0), Tracker: a},
		{Type: event.AttemptStarted, Job: seq, Attempt: reduceAttempt(seq, 0, 0), Tracker: 9},
		{Type: event.AttemptStarted, Job: seq, Attempt: reduceAttempt(seq, 0, 0), Tracker: a, Slot: job.Setup},
		{Type: event.AttemptFinished, Job: seq, Attempt: mapAttempt(seq, 0, 1), State: job.AttemptFailed},
		{Type: event.AttemptFinished, Job: over, Attempt: id, State: job.AttemptFailed},
		{Type: event.AttemptFinished, Job: seq, Attempt: id, State: job.AttemptRunning},
		{Type: event.AttemptFinished, Job: seq, Attempt: id, State: job.AttemptAssigned},
		{Type: event.LimitsChanged, Job: over, Attempt: id},
		{Type: event.LimitsChanged, Job: seq, Attempt: mapAttempt(seq, 0, 1)},
		{Type: event.LimitsChanged, Job: seq, Attempt: id, VCores: -1},
		{Type: event.LimitsChanged, Job: seq, Attempt: id, Memory: -1},
		{Type: event.TaskReopened, Job: seq, Attempt: id, State: job.AttemptKilled},
		{Type: event.TaskReopened, Job: seq, Attempt: mapAttempt(seq, 0, 1), State: job.AttemptKilled},
		{Type: event.TaskFinished, Job: seq, Attempt: id, TaskState: job.TaskSucceeded},
		{Type: event.TaskFinished, Job: seq, Attempt: id, TaskState: job.TaskKilled},
		{Type: event.TaskFinished, Job: seq, Attempt: mapAttempt(seq, 0, 1), TaskState: job.TaskFailed},
	} {
		err := r.m.Apply(&e)
		require.True(t, failure.Is(err, failure.Corrupt), "%+v: %v", e, err)
		require.Equal(t, before, dump(r.m), "%+v", e)
	}
}

// The machine rejects a second success of a task, a second end of a task, and the reopening of a
// map that is not finished.
func TestOneWinner(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 3, 3)
	seq := r.submit(spec(2, 1))
	r.beat(a)
	r.force(mapAttempt(seq, 0, 1), a)
	facts := []event.Event{
		{Type: event.AttemptFinished, Job: seq, Attempt: mapAttempt(seq, 0, 0), Tracker: a, State: job.AttemptSucceeded},
		{Type: event.TaskFinished, Job: seq, Attempt: mapAttempt(seq, 0, 0), Tracker: a, TaskState: job.TaskSucceeded},
	}
	require.Error(t, r.m.Apply(&facts[1]), "not yet won")
	require.NoError(t, r.m.Apply(&facts[0]))
	second := facts[0]
	second.Attempt.N = 1
	require.ErrorContains(t, r.m.Apply(&second), "has already succeeded")
	failedTask := event.Event{Type: event.TaskFinished, Job: seq, Attempt: mapAttempt(seq, 0, 0),
		TaskState: job.TaskFailed}
	require.ErrorContains(t, r.m.Apply(&failedTask), "has succeeded")
	loser := facts[1]
	loser.Attempt.N = 1
	require.ErrorContains(t, r.m.Apply(&loser), "still running")
	killed := facts[0]
	killed.Attempt.N, killed.State = 1, job.AttemptKilled
	require.NoError(t, r.m.Apply(&killed))
	require.ErrorContains(t, r.m.Apply(&loser), "has not succeeded")
	third := event.Event{Type: event.AttemptStarted, Job: seq, Attempt: mapAttempt(seq, 0, 2), Tracker: a}
	require.Error(t, r.m.Apply(&third), "the task is won")
	reopen := event.Event{Type: event.TaskReopened, Job: seq, Attempt: mapAttempt(seq, 0, 0), State: job.AttemptKilled}
	require.Error(t, r.m.Apply(&reopen), "won, but not finished")
	require.NoError(t, r.m.Apply(&facts[1]))
	require.Error(t, r.m.Apply(&facts[1]))
	wrong := reopen
	wrong.State = job.AttemptSucceeded
	require.Error(t, r.m.Apply(&wrong))
	wrong = reopen
	wrong.Attempt.N = 1
	require.Error(t, r.m.Apply(&wrong))
	require.NoError(t, r.m.Apply(&reopen))
}

func TestPromisedEnd(t *testing.T) {
	r := newRig(t)
	seq := r.submit(spec(1, 0))
	r.step(Input{Kind: InKillJob, Job: seq})
	err := r.m.Apply(&event.Event{Type: event.JobFinished, Job: seq, JobState: job.Failed})
	require.ErrorContains(t, err, "must end as KILLED")
}

// The machine accepts or rejects facts of a damaged or foreign journal, but never panics. A
// snapshot of the accepted facts rebuilds the same state.
func TestAnyFactsMayCome(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newRig(&testing.T{})
		small := rapid.Int32Range(-1, 3)
		for range rapid.IntRange(0, 60).Draw(t, "facts") {
			e := event.Event{
				Type: event.Type(rapid.IntRange(0, 23).Draw(t, "type")), Time: int64(rapid.IntRange(1, 9).Draw(t, "time")),
				Job: small.Draw(t, "job"), Tracker: small.Draw(t, "tracker"),
				Slot: rapid.SampledFrom([]job.TaskType{job.Map, job.Map, job.Reduce, job.Setup, job.Container}).Draw(t, "slot"),
				Name: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "name"), Slots: [2]int32{2, 2},
				N:         rapid.SampledFrom([]int64{0, 0, 0, 1, 2, -1}).Draw(t, "N"),
				State:     job.AttemptState(rapid.IntRange(0, 5).Draw(t, "state")),
				TaskState: job.TaskState(rapid.IntRange(0, 5).Draw(t, "task state")),
				JobState:  job.State(rapid.IntRange(4, 6).Draw(t, "job state")),
				Kind:      rapid.SampledFrom([]failure.Kind{failure.NotFound, failure.Node}).Draw(t, "kind"),
			}
			e.Attempt = job.Attempt{Task: job.Task{Job: e.Job, Type: job.TaskType(rapid.IntRange(0, 2).Draw(t, "tt")),
				Index: small.Draw(t, "index")}, N: small.Draw(t, "n")}
			if e.Type == event.JobSubmitted {
				e.Spec = spec(rapid.Int32Range(0, 2).Draw(t, "maps"), rapid.Int32Range(0, 2).Draw(t, "reduces"))
			}
			if e.Type == event.JobAborting {
				e.JobState = max(e.JobState, job.Failed)
			}
			_ = r.m.Apply(&e)
		}
		again, err := New(r.m.cfg, r.m.policy)
		require.NoError(t, err)
		r.m.Snapshot(func(e *event.Event) {
			if err := again.Apply(e); err != nil {
				t.Fatalf("snapshot: %v", err)
			}
		})
		if diff, ok := alike(r.m, again); !ok {
			t.Fatalf("the snapshot gives another state: %s", diff)
		}
		r.m.Recovered(2_000_000, nil)
		require.NoError(t, r.m.Err())
	})
}
