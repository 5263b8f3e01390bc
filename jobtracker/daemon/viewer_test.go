package daemon

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job/failure"
)

// What GET /journal gives, a viewer tells again: retired jobs too, and as much as there is of a torn journal.
func TestViewerOfAJournal(t *testing.T) {
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

	v, torn, err := ReadJournal(bytes.NewReader(journal))
	require.NoError(t, err)
	require.False(t, torn)
	ids := v.Jobs()
	require.Len(t, ids, 3)
	s, err := v.Status(c.ctx(), &client.StatusRequest{Id: ids[0], Attempts: true, Counters: true})
	require.NoError(t, err)
	require.Equal(t, "SUCCEEDED", s.State)
	require.Len(t, s.Attempt, 3)
	require.NotEmpty(t, s.Counter)
	all, err := v.List(c.ctx(), nil)
	require.NoError(t, err)
	require.Len(t, all.Job, 3)
	cluster, err := v.Cluster(c.ctx(), nil)
	require.NoError(t, err)
	require.EqualValues(t, 3, cluster.JobsFinished)
	require.Len(t, cluster.Tracker, 1)
	_, err = v.Status(c.ctx(), &client.StatusRequest{Id: "job_202611210753_0001"})
	require.True(t, failure.Is(err, failure.NotFound))

	v, torn, err = ReadJournal(bytes.NewReader(journal[:len(journal)-5]))
	require.NoError(t, err)
	require.True(t, torn)
	require.Len(t, v.Jobs(), 3)
	_, _, err = ReadJournal(bytes.NewReader([]byte("Job JOBID=\"job_1\" .")))
	require.True(t, failure.Is(err, failure.Corrupt), "%v", err)
}
