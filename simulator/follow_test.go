package simulator

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/fifo"
	"github.com/howdah/howdah/simulator/trace"
)

// TestFollow checks that a job's followers are submitted at their times, even if the source's next
// job comes later or is the last one.
func TestFollow(t *testing.T) {
	p, err := fifo.New(scheduler.Setup{Conf: conf.New()})
	require.NoError(t, err)
	named := func(id string, at int64) *trace.Job {
		j := liveJob(at, 1)
		j.ID = id
		return j
	}
	var ended []string
	c := Config{Trackers: 2, Slots: [2]int32{2, 1}, Heartbeat: 1000, WaitForWork: true, Policy: p, Scheduler: "fifo",
		Follow: func(r trace.JobResult) []*trace.Job {
			ended = append(ended, r.ID)
			switch r.ID {
			case "a":
				return []*trace.Job{named("a3", r.Finish+40_000), named("a2", r.Finish+500)}
			case "late":
				return []*trace.Job{named("last", r.Finish)}
			}
			return nil
		}}
	jobs := &trace.Trace{Jobs: []*trace.Job{named("a", 0), named("late", 30_000)}}
	r, err := Run(context.Background(), c, jobs.Source())
	require.NoError(t, err)
	require.Equal(t, []string{"a", "a2", "late", "last", "a3"}, ended)
	at := map[string]trace.JobResult{}
	for _, j := range r.Jobs {
		at[j.ID] = j
	}
	require.Len(t, at, 5)
	require.Equal(t, at["a"].Finish+500, at["a2"].Submit)
	require.Equal(t, at["a"].Finish+40_000, at["a3"].Submit)
	require.Equal(t, at["late"].Finish, at["last"].Submit)
	for _, j := range at {
		require.GreaterOrEqual(t, j.Start, j.Submit, j.ID)
		require.InDelta(t, 12_000, j.Finish-j.Submit, 1500, j.ID)
	}
}

// TestFollowRejected checks that a rejected job also has followers.
func TestFollowRejected(t *testing.T) {
	p, err := fifo.New(scheduler.Setup{Conf: conf.New()})
	require.NoError(t, err)
	first, second := liveJob(0, 1), liveJob(0, 1)
	first.ID, second.ID = "first", "second"
	c := Config{Trackers: 1, Slots: [2]int32{1, 1}, Policy: p, Scheduler: "fifo",
		Follow: func(r trace.JobResult) []*trace.Job {
			if r.ID == "first" && r.Failed {
				return []*trace.Job{second}
			}
			return nil
		}}
	c.Machine = c.machine()
	c.Machine.MaxTasksPerJob = 1 // a job with a map and a reduce has two
	r, err := Run(context.Background(), c, (&trace.Trace{Jobs: []*trace.Job{first}}).Source())
	require.NoError(t, err)
	require.Len(t, r.Jobs, 2)
	require.Equal(t, "second", r.Jobs[1].ID)
}
