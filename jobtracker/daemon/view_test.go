package daemon

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/jobtracker/view"
)

// GET /journal contains all jobs, including retired jobs.
func TestViewOfTheJournal(t *testing.T) {
	c := newCluster(t)
	c.conf.Set("mapred.jobtracker.completeuserjobs.maximum", "1", "test")
	c.start()
	newFakeTracker(t, c, "t1").run()
	for range 3 {
		c.profiled("daily", false)
	}
	r, err := http.Get("http://" + c.HTTPAddr() + "/journal")
	require.NoError(t, err)
	journal, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())

	v, torn, err := view.ReadJournal(bytes.NewReader(journal))
	require.NoError(t, err)
	require.False(t, torn)
	ids := v.Jobs()
	require.Len(t, ids, 3)
	s, err := v.Status(c.ctx(), ids[0], status.Query{Attempts: true, Counters: true})
	require.NoError(t, err)
	require.Equal(t, job.Succeeded, s.State)
	require.Len(t, s.Attempts, 3)
	require.NotZero(t, s.Counters.Builtin[job.LaunchedMaps])
	all, err := v.List(c.ctx(), status.Filter{})
	require.NoError(t, err)
	require.Len(t, all, 3)
	cluster, err := v.Cluster(c.ctx())
	require.NoError(t, err)
	require.EqualValues(t, 3, cluster.Finished)
	require.Len(t, cluster.Trackers, 1)
}
