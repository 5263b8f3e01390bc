package master

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job"
)

// manyJobs are more running jobs than one look asks for; each has done three tasks and written ten bytes.
func manyJobs() *fakeJobTracker {
	f := &fakeJobTracker{}
	for i := range 2*askedJobs + 20 {
		f.jobs = append(f.jobs, &client.JobStatus{Id: fmt.Sprint("job_", i), SubmitMs: 1, Maps: 8, MapsDone: 2, ReducesDone: 1,
			Counter: []*client.Counter{{Builtin: true, Id: uint32(job.OutputBytesWritten), Value: 10}, {Builtin: true, Id: uint32(job.MillisMaps), Value: 500}}})
	}
	return f
}

// With more running jobs than one look asks for, what they have done is right all the same: tasks at once, counters after some looks.
func TestManyRunningJobs(t *testing.T) {
	f := manyJobs()
	addr := serveFake(t, f)
	var tr tracker
	defer tr.close()
	n := int64(len(f.jobs))
	for look := 1; look <= 3; look++ {
		c, err := tr.look(t.Context(), addr)
		require.NoError(t, err)
		require.Len(t, c.jobs, int(n))
		require.Equal(t, 3*n, c.tasks)
		require.Equal(t, 10*min(n, int64(look*askedJobs)), c.written)
	}
	for _, j := range f.jobs {
		require.Positive(t, slowdown(j, tr.jobs[j.Id], [2]float64{1, 1}, 1000), j.Id)
	}
	require.Zero(t, slowdown(f.jobs[0], &jobBook{}, [2]float64{1, 1}, 1000), "of which nothing is known yet")
}

// Jobs that are over are asked for once, and what they have done counts when the JobTracker has forgotten them.
func TestForgottenJobs(t *testing.T) {
	f := manyJobs()
	addr := serveFake(t, f)
	f.jobs = f.jobs[:3]
	f.jobs[0].FinishMs = 5
	var tr tracker
	defer tr.close()
	for range 3 {
		c, err := tr.look(t.Context(), addr)
		require.NoError(t, err)
		require.Len(t, c.jobs, 2)
		require.EqualValues(t, 9, c.tasks)
	}
	require.EqualValues(t, 1, tr.jobs[f.jobs[0].Id].counted)
	f.change(func() { f.jobs = f.jobs[1:] })
	for range 2 {
		c, err := tr.look(t.Context(), addr)
		require.NoError(t, err)
		require.EqualValues(t, 9, c.tasks)
		require.EqualValues(t, 30, c.written)
		require.Len(t, c.books, 2, "what is remembered is bounded by what the JobTracker tells")
	}
}
