package archive

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/fifo"
)

// lifeOf returns the facts of a job whose maps all succeed on one tracker.
func lifeOf(seq int32, maps int) []event.Event {
	spec := &job.Spec{Name: "big", User: "ann", Splits: make([]job.SplitMeta, maps), MapAttempts: 4, ReduceAttempts: 4}
	list := []event.Event{
		{Type: event.Started, Name: "202611210753"},
		{Type: event.TrackerJoined, Tracker: 5, Name: "t5", Host: "t5", Addr: "t5:1", Incarnation: 1, Slots: [2]int32{2, 2}},
		{Type: event.TrackerJoined, Tracker: 6, Name: "idle", Host: "idle", Incarnation: 1},
		{Type: event.JobSubmitted, Job: seq, Spec: spec},
		{Type: event.JobStarted, Job: seq},
	}
	for i := range maps {
		a := job.Attempt{Task: job.Task{Job: seq, Index: int32(i)}}
		list = append(list,
			event.Event{Type: event.AttemptStarted, Job: seq, Attempt: a, Tracker: 5},
			event.Event{Type: event.AttemptFinished, Job: seq, Attempt: a, Tracker: 5,
				State: job.AttemptSucceeded, Counters: &job.Counters{}},
			event.Event{Type: event.TaskFinished, Job: seq, Attempt: a, Tracker: 5, TaskState: job.TaskSucceeded})
	}
	return append(list, event.Event{Type: event.JobCommitting, Job: seq},
		event.Event{Type: event.JobFinished, Job: seq, JobState: job.Succeeded, Counters: &job.Counters{}})
}

func loadJob(t *testing.T, a *Archive, id job.ID) *jobtracker.Machine {
	t.Helper()
	policy, err := fifo.New(scheduler.Setup{Conf: conf.New()})
	require.NoError(t, err)
	m, err := a.Load(id, policy)
	require.NoError(t, err)
	return m
}

// The archive does not copy facts, because those of a large job occupy much memory.
func TestFactsAreNotCopied(t *testing.T) {
	a := New(t.TempDir(), slog.Default())
	p := piece{file: a.FactsFile(job.ID{Cluster: "202611210753", Seq: 7}), bytes: make([]byte, 1<<20), first: true}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.NoError(t, a.writePiece(p))
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(len(p.bytes)))
}

// If a job's history exceeds the memory limit, the archive writes it in pieces. Reading returns the
// complete history.
func TestHistoryInPieces(t *testing.T) {
	a := New(t.TempDir(), slog.Default())
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	a.Live(func(context.Context, func()) error { return nil })
	go func() { done <- a.Run(ctx) }()
	const maps = 5000
	for _, e := range lifeOf(1234, maps) {
		a.Fact(&e)
	}
	require.NoError(t, a.Sync())
	id := job.ID{Cluster: "202611210753", Seq: 1234}
	info, err := os.Stat(a.FactsFile(id))
	require.NoError(t, err)
	require.Greater(t, info.Size(), int64(2*defaultMaxPending))
	require.Empty(t, a.dirty)

	m := loadJob(t, a, id)
	j, ok := m.JobInfo(1234)
	require.True(t, ok)
	require.Equal(t, job.Succeeded, j.State)
	require.EqualValues(t, maps, j.Finished[job.Map])
	_, ran := m.TrackerInfo(5)
	_, idle := m.TrackerInfo(6)
	require.True(t, ran && !idle, "the trackers that the job ran on")
	cancel()
	require.NoError(t, <-done)

	require.Nil(t, loadJob(t, a, job.ID{Cluster: "202611210753", Seq: 1}))
	require.NoError(t, os.Truncate(a.FactsFile(id), info.Size()-3))
	policy, _ := fifo.New(scheduler.Setup{Conf: conf.New()})
	_, err = a.Load(id, policy)
	require.True(t, failure.Is(err, failure.Corrupt), "%v", err)
}

// The replay of a journal completes the files that a crash left incomplete. It does not change
// complete files.
func TestHistoryAfterACrash(t *testing.T) {
	dir := t.TempDir()
	a := New(dir, slog.Default())
	for _, e := range lifeOf(7, 5000) {
		a.Replayed(&e)
	}
	id := job.ID{Cluster: "202611210753", Seq: 7}
	require.EqualValues(t, 5000, loadJob(t, a, id).Job(7).Finished[job.Map])

	a = New(dir, slog.Default())
	for _, e := range lifeOf(7, 4000) { // like a snapshot that omits facts
		a.Replayed(&e)
	}
	files, err := os.ReadDir(filepath.Dir(a.base(id)))
	require.NoError(t, err)
	require.Len(t, files, 1)
	require.EqualValues(t, 5000, loadJob(t, a, id).Job(7).Finished[job.Map])
	require.Empty(t, a.open)
}
