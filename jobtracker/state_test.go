package jobtracker

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
)

// A job with its own committer ends with a cleanup task, which runs like its other tasks. The
// machine asks the driver to commit only after that task.
func TestCleanupTask(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	s := spec(0, 0)
	s.Committer = true
	seq := r.submit(s)
	cleanup := r.beat(a, says(job.AttemptSucceeded, r.beat(a).Run...)...).Run // after the setup
	want := job.Attempt{Task: job.Task{Job: seq, Type: job.Cleanup, Index: job.CleanupCommit}}
	require.Equal(t, []job.Attempt{want}, cleanup)
	require.Empty(t, r.asks)
	r.beat(a, says(job.AttemptSucceeded, cleanup...)...)
	require.Equal(t, []Output{{Kind: OutCommit, Job: seq}}, r.asks)
}
