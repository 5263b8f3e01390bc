package view

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/jobtracker/history"
)

const cluster = "202611210753"

// journal encodes the journal of a JobTracker with a killed and a running job. The running job has
// three attempts. One of its maps occupies a slot for reduces and has changed limits.
func journal(t *testing.T) []byte {
	b := history.AppendHeader(nil)
	spec := job.Spec{Name: "x", User: "ann", Splits: make([]job.SplitMeta, 2), Reduces: 1,
		MapAttempts: 4, ReduceAttempts: 4}
	start := func(typ job.TaskType, index int32, slot job.TaskType) event.Event {
		return event.Event{Type: event.AttemptStarted, Time: 6, Job: 2, Tracker: 1, Slot: slot,
			Attempt: job.Attempt{Task: job.Task{Job: 2, Type: typ, Index: index}}}
	}
	limits := event.Event{Type: event.LimitsChanged, Time: 7, Job: 2, Attempt: start(job.Map, 1, 0).Attempt, VCores: 700,
		Memory: 900}
	for _, e := range []event.Event{
		{Type: event.Started, Time: 1, Name: cluster},
		{Type: event.SchedulerChanged, Time: 1, Name: "fair"},
		{Type: event.TrackerJoined, Time: 1, Tracker: 1, Name: "t1", Host: "h1", Addr: "h1:1", Slots: [2]int32{2, 2}},
		{Type: event.JobSubmitted, Time: 2, Job: 1, Spec: &spec},
		{Type: event.JobSubmitted, Time: 2, Job: 2, Spec: &spec},
		{Type: event.JobStarted, Time: 2, Job: 1},
		{Type: event.JobAborting, Time: 3, Job: 1, JobState: job.Killed, Text: "enough"},
		{Type: event.JobFinished, Time: 4, Job: 1, JobState: job.Killed, Counters: &job.Counters{}},
		{Type: event.JobStarted, Time: 5, Job: 2},
		start(job.Map, 0, job.Map), start(job.Map, 1, job.Reduce), start(job.Reduce, 0, job.Reduce), limits,
		{Type: event.JobRetired, Time: 8, Job: 1},
	} {
		var err error
		b, err = history.AppendRecord(b, &e)
		require.NoError(t, err)
	}
	return b
}

func TestJournal(t *testing.T) {
	j, torn, err := ReadJournal(bytes.NewReader(journal(t)))
	require.NoError(t, err)
	require.False(t, torn)
	require.Equal(t, []job.ID{{Cluster: cluster, Seq: 1}, {Cluster: cluster, Seq: 2}}, j.Jobs())
	s, err := j.Status(t.Context(), j.Jobs()[0], status.Query{Counters: true})
	require.NoError(t, err)
	require.Equal(t, job.Killed, s.State)
	require.Equal(t, "enough", s.Diagnostics)
	all, err := j.List(t.Context(), status.Filter{})
	require.NoError(t, err)
	require.Len(t, all, 2)
	c, err := j.Cluster(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 1, c.Finished)
	require.EqualValues(t, 1, c.Running)
	p, err := j.Scheduler(t.Context(), "")
	require.NoError(t, err)
	require.Equal(t, "fair", p.Name)
	for _, id := range []job.ID{{Cluster: "202611210754", Seq: 1}, {Cluster: cluster, Seq: 3}} {
		_, err = j.Status(t.Context(), id, status.Query{})
		require.True(t, failure.Is(err, failure.NotFound), "%v", err)
	}
}

// TestShuffleBytes checks that a map has the size of its output, even if the query leaves out counters.
func TestShuffleBytes(t *testing.T) {
	c := &job.Counters{}
	c.Builtin[job.MapOutputMaterializedBytes], c.Builtin[job.ReduceShuffleBytes] = 42, 7
	b, err := history.AppendRecord(journal(t), &event.Event{Type: event.AttemptFinished, Time: 9, Job: 2, Tracker: 1,
		Attempt: job.Attempt{Task: job.Task{Job: 2}}, State: job.AttemptSucceeded, Counters: c})
	require.NoError(t, err)
	j, _, err := ReadJournal(bytes.NewReader(b))
	require.NoError(t, err)
	s, err := j.Status(t.Context(), j.Jobs()[1], status.Query{Attempts: true})
	require.NoError(t, err)
	require.EqualValues(t, 42, s.Attempts[0].ShuffleBytes)
	require.Zero(t, s.Attempts[1].ShuffleBytes, "no counters yet")
	require.Nil(t, s.Attempts[0].Counters)
}

// TestOnlyOneAttempt checks a query for one attempt.
func TestOnlyOneAttempt(t *testing.T) {
	j, _, err := ReadJournal(bytes.NewReader(journal(t)))
	require.NoError(t, err)
	seen := 0
	for _, id := range j.Jobs() {
		s, err := j.Status(t.Context(), id, status.Query{Attempts: true})
		require.NoError(t, err)
		for _, a := range s.Attempts {
			one, err := j.Status(t.Context(), id, status.Query{Attempts: true, Only: &a.ID})
			require.NoError(t, err)
			require.Equal(t, []*status.Attempt{a}, one.Attempts)
			seen++
			for _, other := range []job.AttemptID{{TaskID: a.ID.TaskID, N: 99}, {TaskID: job.TaskID{
				Job: job.ID{Cluster: "1", Seq: id.Seq}, Type: a.ID.Type, Index: a.ID.Index}}} {
				none, err := j.Status(t.Context(), id, status.Query{Attempts: true, Only: &other})
				require.NoError(t, err)
				require.Empty(t, none.Attempts)
			}
		}
	}
	require.NotZero(t, seen)
}

// ReadJournal shows the intact part of a torn journal and rejects a file that is not a journal.
func TestDamagedJournal(t *testing.T) {
	b := journal(t)
	j, torn, err := ReadJournal(bytes.NewReader(b[:len(b)-5]))
	require.NoError(t, err)
	require.True(t, torn)
	require.Len(t, j.Jobs(), 2)
	_, _, err = ReadJournal(bytes.NewReader([]byte("Job JOBID=\"job_1\" .")))
	require.True(t, failure.Is(err, failure.Corrupt), "%v", err)
}

func TestAddRunning(t *testing.T) {
	j, _, err := ReadJournal(bytes.NewReader(journal(t)))
	require.NoError(t, err)
	s := Job(j.m, 2, status.Query{Attempts: true})
	Link(s.Attempts, "https")
	require.Len(t, s.Attempts, 3)
	require.Equal(t, "https://h1:1/tasklog?attemptid="+s.Attempts[0].ID.String(), s.Attempts[0].LogURL)
	require.Equal(t, "t1", s.Attempts[0].Tracker)
	require.Empty(t, s.Limited)
	AddRunning(j.m, s, "http")
	require.EqualValues(t, 1, s.Maps.Borrowed)
	require.Zero(t, s.Reduces.Borrowed)
	require.Len(t, s.Limited, 1)
	require.Equal(t, "attempt_202611210753_0002_m_000001_0", s.Limited[0].ID.String())
	require.EqualValues(t, 700, s.Limited[0].CPULimit)
}
