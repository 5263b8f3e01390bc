package hadoop

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
)

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
