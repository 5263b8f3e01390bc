package jobtracker

import (
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
)

// snapshot returns the facts of a snapshot that have the given type.
func (r *rig) snapshot(only event.Type) (facts []event.Event) {
	r.m.Snapshot(func(e *event.Event) {
		if e.Type == only {
			facts = append(facts, *e)
		}
	})
	return facts
}

// A machine that has never started has no state, so its snapshot is as empty as a new journal.
func TestSnapshotOfANewMachine(t *testing.T) {
	m, err := New(DefaultConfig(), &lazy{})
	require.NoError(t, err)
	m.Snapshot(func(e *event.Event) { t.Fatalf("%+v", *e) })
}

// A snapshot preserves everything that a restart must not forget about a running job: its priority,
// deadline, commit grants, limits, lost outputs, and the trackers that failed or refused it.
func TestSnapshotOfARunningJob(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 2, 1)
	b := r.register("b", "h2", "/r", 1, 1, 1)
	c := r.register("c", "h3", "/r", 1, 1, 0)
	s := spec(4, 1)
	s.Committer, s.TrackerFailures = true, 1
	seq := r.submit(s)
	other := r.submit(spec(1, 0))
	r.beat(a, says(job.AttemptSucceeded, r.beat(a).Run...)...) // the setup
	require.Equal(t, job.Running, r.state(seq))
	r.step(Input{Kind: InSetPriority, Job: seq, Priority: job.High})
	r.step(Input{Kind: InSetDeadline, Job: seq, Millis: 77})
	same := func() {
		t.Helper()
		require.Equal(t, dump(r.m), dump(r.replayed()))
	}
	same()
	require.Equal(t, []event.Event{{Type: event.JobPriorityChanged, Time: r.now, Job: seq, Priority: job.High}},
		r.snapshot(event.JobPriorityChanged), "the other job has the priority of its submission")

	r.beat(b)
	first, bad := r.run(a)[0], r.run(b)[0]
	r.beat(b, failed(failure.User, "boom", bad)...)
	r.step(Input{Kind: InCanCommit, Attempt: first})
	second := job.Attempt{Task: bad.Task, N: 1}
	r.force(second, c)
	require.True(t, r.step(Input{Kind: InCanCommit, Attempt: second}).Granted)
	r.report(&heartbeat.Report{Tracker: c, Refused: []heartbeat.Refusal{{Job: other, Text: "no such file"}},
		Attempts: says(job.AttemptRunning, second)})
	limit := heartbeat.Limit{CPU: 700, Memory: 300}
	in := Input{Kind: InLimits, Millis: 60_000}
	for _, id := range []job.Attempt{first, second} {
		limit.Attempt = id
		in.Limits = append(in.Limits, limit)
	}
	r.step(in)
	same()
	require.Len(t, r.snapshot(event.CommitGranted), 2)
	require.Len(t, r.snapshot(event.LimitsChanged), 2)
	require.Len(t, r.snapshot(event.TrackerBlacklisted), 2, "a failure and a refusal, of one job each")
	for _, e := range r.snapshot(event.AttemptStarted) {
		require.Zero(t, e.N, "one slot is not recorded")
	}

	r.beat(c, says(job.AttemptSucceeded, second)...)
	r.step(Input{Kind: InTrackerLeave, Tracker: c})
	require.Len(t, r.snapshot(event.TaskReopened), 1)
	require.Len(t, r.snapshot(event.LimitsChanged), 1, "the other attempt has ended")
	same()
}

// A snapshot contains the numbers of the dropped jobs, so that they are not assigned again. It
// contains them as ranges, of which a known job can cut off a single number.
func TestSnapshotOfUsedNumbers(t *testing.T) {
	r := newRig(t, func(c *Config) { c.CompletedPerUser = 0 })
	r.finishEmpty("u")
	kept := r.submit(spec(1, 0))
	r.finishEmpty("u")
	r.finishEmpty("u")
	require.Equal(t, []event.Event{{Type: event.JobRetired, Time: r.now, N: 1, Job: 1},
		{Type: event.JobRetired, Time: r.now, N: int64(kept) + 1, Job: kept + 2}}, r.snapshot(event.JobRetired))
	require.Equal(t, dump(r.m), dump(r.replayed()))
	require.EqualValues(t, kept+2, r.replayed().LastJob())
}

// The fact of a drain names the live tracker that drains, like the original fact. The drain of a
// name without a live tracker names none.
func TestSnapshotOfDrains(t *testing.T) {
	r := newRig(t)
	r.register("a", "h1", "/r", 1, 1, 1)
	gone, here := r.register("b", "h2", "/r", 1, 1, 1), r.register("c", "h3", "/r", 1, 1, 1)
	for _, name := range []string{"b", "c"} {
		require.Nil(t, r.drain(name, DrainDelayed).Err)
	}
	require.NoError(t, r.m.Apply(&event.Event{Type: event.TrackerLost, Tracker: gone, Time: r.now}))
	var drains []int32
	for _, e := range r.snapshot(event.TrackerDraining) {
		drains = append(drains, e.Tracker)
	}
	require.Equal(t, []int32{0, here}, drains)
	require.Equal(t, dump(r.m), dump(r.replayed()))
}

// A JobTracker can crash between the end of an attempt and that of its task, or between the end of an
// attempt and the loss of its output. A snapshot keeps the time of each fact.
func TestSnapshotKeepsTimes(t *testing.T) {
	r := newRig(t)
	tt := r.register("a", "h1", "/r", 1, 2, 0)
	seq := r.submit(spec(2, 1))
	r.beat(tt)
	apply := func(e event.Event) {
		e.Job, e.Tracker = seq, tt
		require.NoError(t, r.m.Apply(&e))
	}
	start := r.now
	first, second := mapAttempt(seq, 0, 0), mapAttempt(seq, 1, 0)
	apply(event.Event{Type: event.AttemptFinished, Time: start + 10, Attempt: first, State: job.AttemptSucceeded})
	apply(event.Event{Type: event.AttemptFinished, Time: start + 20, Attempt: second, State: job.AttemptSucceeded})
	apply(event.Event{Type: event.TaskFinished, Time: start + 20, Attempt: second, TaskState: job.TaskSucceeded})
	apply(event.Event{Type: event.TaskFinished, Time: start + 30, Attempt: first, TaskState: job.TaskSucceeded})
	apply(event.Event{Type: event.TaskReopened, Time: start + 40, Attempt: second, State: job.AttemptKilled})
	var times []int64
	for _, only := range []event.Type{event.AttemptFinished, event.TaskFinished, event.TaskReopened} {
		for _, e := range r.snapshot(only) {
			times = append(times, e.Time-start)
		}
	}
	require.Equal(t, []int64{10, 20, 30, 20, 40}, times)
}

// The end of a task can follow the start of a snapshot that contains the end of its attempt. The
// snapshot leaves it out, because the journal contains it after the snapshot.
func TestTaskEndsDuringASnapshot(t *testing.T) {
	r := newRig(t)
	tt := r.register("a", "h1", "/r", 1, 1, 0)
	seq := r.submit(spec(1, 0))
	r.beat(tt)
	apply := func(m *Machine, e event.Event) {
		e.Job, e.Tracker, e.Attempt, e.Time = seq, tt, mapAttempt(seq, 0, 0), r.now
		require.NoError(t, m.Apply(&e))
	}
	apply(r.m, event.Event{Type: event.AttemptFinished, State: job.AttemptSucceeded})
	again, err := New(r.m.cfg, &lazy{})
	require.NoError(t, err)
	next, stop := iter.Pull(r.m.Freeze())
	defer stop()
	end := event.Event{Type: event.TaskFinished, TaskState: job.TaskSucceeded}
	for e, ok := next(); ok; e, ok = next() {
		if e.Type == event.Started { // the first fact
			apply(r.m, end)
		}
		require.NoError(t, again.Apply(e))
	}
	apply(again, end)
	require.Equal(t, dump(r.m), dump(again))
}
