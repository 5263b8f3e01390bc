package simulator

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/fifo"
	"github.com/howdah/howdah/simulator/replay"
	"github.com/howdah/howdah/simulator/trace"
)

func live(t *testing.T, taskTime TaskTime) *Live {
	p, err := fifo.New(scheduler.Setup{Conf: conf.New()})
	require.NoError(t, err)
	l, err := NewLive(Config{Slots: [2]int32{2, 1}, Heartbeat: 1000, WaitForWork: true, Policy: p, Scheduler: "fifo"},
		replay.Epoch, taskTime)
	require.NoError(t, err)
	return l
}

// liveJob returns a job whose maps take ten seconds each and whose reduce takes one second.
func liveJob(at int64, maps int) *trace.Job {
	j := &trace.Job{ID: "j", Submit: at, State: job.Succeeded, Maps: make([]trace.Map, maps),
		Reduces: []trace.Reduce{{First: true, Time: 1000}}}
	for i := range j.Maps {
		j.Maps[i].Time = 10_000
	}
	return j
}

func drive(t *testing.T, l *Live, to int64) []trace.JobResult {
	require.NoError(t, l.RunTo(to))
	return l.Finished()
}

func TestALiveClusterGrows(t *testing.T) {
	const now = int64(replay.Epoch)
	took := func(grow bool) int64 {
		l := live(t, nil)
		require.Equal(t, int64(never), l.Next(), "nothing happens without nodes")
		_, err := l.Add()
		require.NoError(t, err)
		require.NoError(t, l.Submit(liveJob(now, 8)))
		require.NoError(t, l.RunTo(now+12_000))
		if grow {
			_, err = l.Add()
			require.NoError(t, err)
		}
		r := drive(t, l, now+100_000)
		require.Len(t, r, 1)
		require.Empty(t, l.Finished(), "told once")
		require.Zero(t, l.Unfinished())
		return r[0].Finish - now
	}
	require.Equal(t, int64(41_000), took(false))
	require.Less(t, took(true), int64(35_000))
}

// TestALiveClusterShrinks checks that a draining node ends its tasks and gets no new tasks.
// Depending on the kind of drain, the node then waits for the job, or its maps run again.
func TestALiveClusterShrinks(t *testing.T) {
	const now = int64(replay.Epoch)
	took := func(how jobtracker.Drain) (drained, finish int64) {
		l := live(t, nil)
		for range 2 {
			_, err := l.Add()
			require.NoError(t, err)
		}
		require.NoError(t, l.Submit(liveJob(now, 8)))
		require.NoError(t, l.RunTo(now+1000))
		require.Len(t, l.e.nodes[1].tasks, 2)
		require.NoError(t, l.Drain(1, how))
		for at := now + 1000; drained == 0; at += 500 {
			require.Less(t, at, now+100_000)
			require.NoError(t, l.RunTo(at))
			if l.Drained(1) {
				require.Empty(t, l.e.nodes[1].tasks)
				drained = at - now
			}
		}
		require.NoError(t, l.Remove(1, false))
		r := drive(t, l, now+100_000)
		require.Len(t, r, 1)
		require.False(t, r[0].Failed)
		return drained, r[0].Finish - now
	}
	drained, finish := took(jobtracker.DrainDelayed)
	require.Equal(t, int64(31_000), finish, "nothing ran twice")
	require.GreaterOrEqual(t, drained, finish)
	drained, finish = took(jobtracker.DrainRerun)
	require.Less(t, drained, int64(13_000))
	require.Equal(t, int64(41_000), finish, "its two maps ran again")
	drained, finish = took(jobtracker.DrainImmediate)
	require.Less(t, drained, int64(3_000))
	require.Equal(t, int64(41_000), finish)

	l := live(t, nil)
	require.Error(t, l.Drain(must(l.Add()), 77))
}

func must(node int, err error) int {
	if err != nil {
		panic(err)
	}
	return node
}

func TestALiveTaskTime(t *testing.T) {
	const now = int64(replay.Epoch)
	l := live(t, func(node int, _ *trace.Job, _ job.TaskType, shuffle, rest int64) (int64, int64) {
		return shuffle, rest * int64(1+node)
	})
	for range 2 {
		_, err := l.Add()
		require.NoError(t, err)
	}
	require.NoError(t, l.Submit(liveJob(now, 4)))
	r := drive(t, l, now+100_000)
	require.Len(t, r, 1)
	require.Equal(t, now+20_000, r[0].MapsDone, "the second node takes twice as long")
}
