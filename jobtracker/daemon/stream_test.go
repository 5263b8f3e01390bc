package daemon

import (
	"io"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/jobtracker/history"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/fifo"
)

// told reads the journal over HTTP into a new machine. It returns the machine and the number of
// facts of each job.
func (c *cluster) told() (*jobtracker.Machine, map[int32]int) { return c.toldOf("") }

// toldOf is like told for GET /journal with a query.
func (c *cluster) toldOf(query string) (*jobtracker.Machine, map[int32]int) {
	r, err := http.Get("http://" + c.HTTPAddr() + "/journal" + query)
	require.NoError(c.t, err)
	defer r.Body.Close()
	require.Equal(c.t, http.StatusOK, r.StatusCode)
	policy, err := fifo.New(scheduler.Setup{Conf: conf.New()})
	require.NoError(c.t, err)
	m, err := jobtracker.New(jobtracker.DefaultConfig(), policy)
	require.NoError(c.t, err)
	facts := map[int32]int{}
	d := history.NewDecoder(r.Body)
	for {
		var e event.Event
		err := d.Next(&e)
		if err == io.EOF {
			return m, facts
		}
		require.NoError(c.t, err)
		require.NoError(c.t, m.Apply(&e))
		facts[e.Job]++
	}
}

// A machine can replay the journal of all jobs, whether finished, retired, or running. It can do so
// after a restart too.
func TestJournalOfAllJobs(t *testing.T) {
	c := newCluster(t)
	c.conf.Set("mapred.jobtracker.completeuserjobs.maximum", "1", "test")
	c.start()
	f := newFakeTracker(t, c, "t1")
	f.run()
	newFakeTracker(t, c, "t2").run()
	x := c.client()
	for _, name := range []string{"a", "b", "c"} {
		s, err := x.Submit(c.ctx(), c.job(name, 3, 1))
		require.NoError(t, err)
		_, err = x.Wait(c.ctx(), s.ID, nil)
		require.NoError(t, err)
	}
	f.hold("r")
	j := c.job("running", 2, 1)
	s, err := x.Submit(c.ctx(), j)
	require.NoError(t, err)
	check := func() {
		m, facts := c.told()
		require.Equal(t, c.Daemon.cluster, m.ClusterID())
		require.Len(t, m.Trackers(), 2)
		for seq := range s.ID.Seq - 1 {
			info, ok := m.JobInfo(seq + 1)
			require.True(t, ok)
			require.Equal(t, job.Succeeded, info.State)
			require.Greater(t, facts[seq+1], 10)
		}
		info, ok := m.JobInfo(s.ID.Seq)
		require.True(t, ok)
		require.Equal(t, "running", info.Spec.Name)

		for seq := range s.ID.Seq { // GET /journal?job=ID has the same facts of the job, and no others
			id := job.ID{Cluster: c.Daemon.cluster, Seq: seq + 1}
			one, its := c.toldOf("?job=" + id.String())
			require.Equal(t, []int32{id.Seq}, one.AllJobs())
			if id == s.ID { // the running job has more facts by now
				require.GreaterOrEqual(t, its[id.Seq], facts[id.Seq])
				continue
			}
			require.Equal(t, facts[id.Seq], its[id.Seq])
		}
		for _, unknown := range []job.ID{{Cluster: "1", Seq: s.ID.Seq}, {Cluster: c.Daemon.cluster, Seq: 99}} {
			none, _ := c.toldOf("?job=" + unknown.String())
			require.Empty(t, none.AllJobs(), unknown)
		}
		r, err := http.Get("http://" + c.HTTPAddr() + "/journal?job=x")
		require.NoError(t, err)
		require.NoError(t, r.Body.Close())
		require.Equal(t, http.StatusBadRequest, r.StatusCode)
	}
	check()
	require.NoError(t, c.stop())
	c.start()
	check()
}

// If the facts of a job exceed the memory limit, the stream reads them from the job's incomplete
// file and from memory.
func TestJournalOfALongJob(t *testing.T) {
	c := newCluster(t)
	c.prepare = func(d *Daemon) { d.archive.MaxPending = 2000 }
	c.start()
	f := newFakeTracker(t, c, "t1")
	f.hold("r")
	f.run()
	s, err := c.client().Submit(c.ctx(), c.job("long", 60, 1))
	require.NoError(t, err)
	part := c.archive.FactsFile(s.ID) + ".part"
	require.Eventually(t, func() bool {
		m, _ := c.told()
		info, ok := m.JobInfo(s.ID.Seq)
		return ok && info.Finished[job.Map] == 60
	}, time.Minute, 20*time.Millisecond)
	require.FileExists(t, part)
}

// A damaged file hides the rest of its job but no other jobs.
func TestJournalWithDamage(t *testing.T) {
	c := newCluster(t)
	c.start()
	newFakeTracker(t, c, "t1").run()
	x := c.client()
	for _, name := range []string{"a", "b"} {
		s, err := x.Submit(c.ctx(), c.job(name, 1, 0))
		require.NoError(t, err)
		_, err = x.Wait(c.ctx(), s.ID, nil)
		require.NoError(t, err)
	}
	c.told() // wait until both files are complete
	name := c.archive.FactsFile(job.ID{Cluster: c.Daemon.cluster, Seq: 1})
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	b[len(b)-3] ^= 1
	require.NoError(t, os.WriteFile(name, b, 0o600))
	m, _ := c.told()
	first, _ := m.JobInfo(1)
	require.NotEqual(t, job.Succeeded, first.State)
	second, _ := m.JobInfo(2)
	require.Equal(t, job.Succeeded, second.State)
}
