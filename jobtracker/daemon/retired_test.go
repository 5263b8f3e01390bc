package daemon

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/rpc/rpctest"
	wire "github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/jobtracker"
)

// The JobTracker lists the latest ended jobs, even those that it no longer has in memory, also after a
// restart. The two limits are independent.
func TestRetiredJobsAreListed(t *testing.T) {
	c := newCluster(t)
	c.conf.Set("mapred.jobtracker.completeuserjobs.maximum", "1", "test")
	c.conf.Set("mapreduce.jobtracker.retiredjobs.cache.size", "3", "test")
	c.start()
	newFakeTracker(t, c, "t1").run()
	x := c.client()
	for i := range 5 {
		s, err := x.Submit(c.ctx(), c.job("j"+itoa(i), 1, 1))
		require.NoError(t, err)
		_, err = x.Wait(c.ctx(), s.ID, nil)
		require.NoError(t, err)
	}
	for range 2 {
		require.Eventually(t, func() bool {
			list, err := c.Jobs().List(c.ctx(), status.Filter{All: true})
			require.NoError(t, err)
			got := []int32{}
			for _, j := range list {
				require.Equal(t, job.Succeeded, j.State)
				require.Equal(t, j.ID.Seq < 5, j.Retired)
				got = append(got, j.ID.Seq)
			}
			return len(got) == 3 && got[0] == 3 && got[2] == 5
		}, time.Minute, time.Millisecond)
		running, err := c.Jobs().List(c.ctx(), status.Filter{})
		require.NoError(t, err)
		require.Empty(t, running)
		require.NoError(t, c.stop())
		c.start()
	}
}

// A report with an attempt or a handle that the journal does not know is counted.
func TestTrackerThatKnowsMore(t *testing.T) {
	c := newCluster(t)
	c.start()
	conn, err := rpc.Dial(c.Addr(), rpctest.Options(t))
	require.NoError(t, err)
	defer conn.Close()
	x := wire.NewTrackersClient(conn)
	r, err := x.Register(t.Context(), &wire.RegisterRequest{Protocol: rpc.Protocol, Name: "t", Host: "t", Addr: "t:1",
		Incarnation: 1, MapSlots: 1})
	require.NoError(t, err)
	beat := func(handle int32, seq uint64, attempts ...*wire.AttemptReport) int {
		_, err := x.Beat(t.Context(), &wire.Report{Tracker: handle, Incarnation: 1, Seq: seq, Full: true, MapSlots: 1,
			Attempt: attempts})
		require.NoError(t, err)
		n, err := look(t.Context(), c.owner, func(*jobtracker.Machine) (int, error) { return c.ahead, nil })
		require.NoError(t, err)
		return n
	}
	require.Zero(t, beat(r.Tracker, 1))
	unknown := &wire.AttemptReport{Attempt: &wire.Attempt{Job: 7}, State: uint32(job.AttemptRunning)}
	require.Equal(t, 1, beat(r.Tracker, 2, unknown))
	require.Equal(t, 2, beat(r.Tracker+1, 1))
	require.Equal(t, 2, beat(r.Tracker, 3))
}

// lateDisk does not name a job's complete history until open is closed.
type lateDisk struct {
	disk.FS
	open chan struct{}
}

func (l lateDisk) Rename(from, to string) error {
	<-l.open
	return l.FS.Rename(from, to)
}

// A job can retire before its history is on the disk. A client that asks for it waits, because it
// would otherwise conclude that the job never existed.
func TestStatusOfAJobThatHasJustRetired(t *testing.T) {
	c := newCluster(t)
	c.conf.Set("mapred.jobtracker.completeuserjobs.maximum", "0", "test")
	late := lateDisk{disk.OS, make(chan struct{})}
	open := sync.OnceFunc(func() { close(late.open) })
	c.prepare = func(d *Daemon) { d.archive.Disk = late }
	c.start()
	t.Cleanup(open) // before the JobTracker stops
	newFakeTracker(t, c, "t1").run()
	s, err := c.client().Submit(c.ctx(), c.job("a", 1, 0))
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		kept, err := look(c.ctx(), c.owner, func(m *jobtracker.Machine) (bool, error) { return m.Job(s.ID.Seq) != nil, nil })
		require.NoError(t, err)
		return !kept
	}, time.Minute, time.Millisecond)
	type answer struct {
		j   *status.Job
		err error
	}
	got := make(chan answer, 1)
	go func() {
		j, err := c.Jobs().Status(c.ctx(), s.ID, status.Query{})
		got <- answer{j, err}
	}()
	require.Eventually(t, func() bool { return len(c.loads) > 0 || len(got) > 0 }, time.Minute, time.Millisecond)
	require.Empty(t, got, "the history is not complete")
	open()
	a := <-got
	require.NoError(t, a.err)
	require.Equal(t, job.Succeeded, a.j.State)
}
