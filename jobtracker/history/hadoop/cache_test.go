package hadoop

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
)

// An attempt has its rack from the start.
func TestRackOfRunningAttempt(t *testing.T) {
	task := job.TaskID{Job: job.ID{Cluster: "1", Seq: 1}}
	f := &jhist{report: newReport()}
	f.taskStarted(&Job{ID: task.Job}, task, 1, nil)
	f.attemptStarted(&Job{ID: task.Job}, &attempt{id: job.AttemptID{TaskID: task}, tracker: tracker{rack: "/r1"}})
	require.NoError(t, f.err)
	require.Equal(t, "/r1", f.report.tasks[task].Attempts[0].Rack)
}

// A running reduce shows when it fetched and merged the map outputs.
func TestAddRunning(t *testing.T) {
	task := job.TaskID{Job: job.ID{Cluster: "1", Seq: 1}, Type: job.Reduce}
	a := &Attempt{ID: job.AttemptID{TaskID: task}, Shuffle: -1, Sort: -1}
	r := &Report{ID: task.Job, Tasks: []*Task{{ID: task, Attempts: []*Attempt{a}}}}
	s := &status.Job{ID: task.Job, Attempts: []*status.Attempt{{ID: a.ID, State: job.AttemptRunning}}}
	s.Reduces.Total = 1
	r.AddRunning(s)
	require.Equal(t, []int64{-1, -1}, []int64{a.Shuffle, a.Sort})
	s.Attempts[0].ShuffleMs, s.Attempts[0].SortMs = 5, 7
	r.AddRunning(s)
	require.Equal(t, []int64{5, 7}, []int64{a.Shuffle, a.Sort})
	require.Equal(t, "RUNNING", a.State)
}

// A Cache drops the reports that were used least recently, and keeps few large ones.
func TestCache(t *testing.T) {
	var c Cache
	put := func(seq int32, tasks int) job.ID {
		r := &Report{ID: job.ID{Cluster: "1", Seq: seq}, State: "SUCCEEDED", Tasks: make([]*Task, tasks)}
		c.Put(r)
		require.Same(t, r, c.Get(r.ID))
		return r.ID
	}
	c.Put(&Report{ID: job.ID{Cluster: "1", Seq: 1}})
	require.Nil(t, c.Get(job.ID{Cluster: "1", Seq: 1}), "the job has not ended")
	for i := range int32(5) {
		put(i+1, 1)
	}
	require.NotNil(t, c.Get(job.ID{Cluster: "1", Seq: 1}))
	put(6, 1)
	require.Nil(t, c.Get(job.ID{Cluster: "1", Seq: 2}))
	require.NotNil(t, c.Get(job.ID{Cluster: "1", Seq: 1}))
	big := put(7, cachedTasks+1)
	require.Nil(t, c.Get(job.ID{Cluster: "1", Seq: 1}))
	require.NotNil(t, c.Get(big))
	put(8, 1)
	require.Nil(t, c.Get(big))
}
