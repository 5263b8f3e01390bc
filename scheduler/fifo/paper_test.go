package fifo

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/jobtracker"
)

// FIFO_JOB_QUEUE_COMPARATOR orders jobs by priority, then by submission.
func TestOrderOfJobs(t *testing.T) {
	b := newBench(t, "true")
	low := b.submit(job.Low, 0, "")
	first := b.submit(job.Normal, 0, "", "")
	second := b.submit(job.Normal, 0, "")
	high := b.submit(job.VeryHigh, 0, "")
	tt := b.Join("tt", "h", "/r", 5, 0)
	require.Equal(t, []int32{high, first, first, second, low}, jobsOf(b.Beat(tt)))
}

// JobQueueJobInProgressListener.jobUpdated: the queue follows a changed priority.
func TestChangedPriority(t *testing.T) {
	b := newBench(t, "true")
	first := b.submit(job.Normal, 0, "", "")
	second := b.submit(job.Normal, 0, "", "")
	b.Do(jobtracker.Input{Kind: jobtracker.InSetPriority, Job: second, Priority: job.High})
	tt := b.Join("tt", "h", "/r", 4, 0)
	require.Equal(t, []int32{second, second, first, first}, jobsOf(b.Beat(tt)))
}

// assignTasks: if the first job has no task for the tracker, the next job gets the slot.
func TestLaterJobsFillTheSlots(t *testing.T) {
	b := newBench(t, "true")
	first := b.submit(job.Normal, 0, "")
	second := b.submit(job.Normal, 0, "", "")
	tt := b.Join("tt", "h", "/r", 2, 0)
	require.Equal(t, []int32{first, second}, jobsOf(b.Beat(tt)))
}

// mapLoadFactor, reduceLoadFactor: the scheduler spreads a small job over the cluster.
func TestLoadIsSpread(t *testing.T) {
	b := newBench(t, "true")
	x, y := b.Join("x", "h1", "/r", 4, 4), b.Join("y", "h2", "/r", 4, 4)
	b.submit(job.Normal, 2, "", "", "", "")
	require.Len(t, b.Beat(x), 3, "half of the maps and of the reduces")
	require.Len(t, b.Beat(y), 3)
	require.Empty(t, b.Beat(x))
}

// trackerCurrentMapCapacity is rounded up.
func TestLoadIsRoundedUp(t *testing.T) {
	b := newBench(t, "true")
	x, y := b.Join("x", "h1", "/r", 4, 0), b.Join("y", "h2", "/r", 4, 0)
	b.submit(job.Normal, 0, "", "", "")
	require.Len(t, b.Beat(x), 2)
	require.Len(t, b.Beat(y), 1)
}

// howdah.fifo.assign.multiple: one heartbeat fills all slots.
func TestOneBeatFillsAllSlots(t *testing.T) {
	b := newBench(t, "true")
	x := b.Join("x", "h1", "/r", 2, 3)
	b.submit(job.Normal, 2, "", "")
	b.submit(job.Normal, 2)
	require.Len(t, b.Beat(x), 5)
}

// trackerCurrentMapCapacity never exceeds the tracker's slots.
func TestMoreWorkThanSlots(t *testing.T) {
	b := newBench(t, "true")
	x := b.Join("x", "h1", "/r", 2, 1)
	b.submit(job.Normal, 5, "", "", "", "")
	require.Len(t, b.Beat(x), 3)
}

// obtainNewNodeOrRackLocalMapTask, obtainNewNonLocalMapTask: within a job, local maps come first.
// An off-switch map of the first job still comes before a local map of the second.
func TestLocality(t *testing.T) {
	b := newBench(t, "true")
	x := b.Join("x", "h1", "/r1", 2, 0)
	b.Join("y", "h2", "/r2", 0, 0)
	first := b.submit(job.Normal, 0, "h2", "h1")
	second := b.submit(job.Normal, 0, "h1")
	got := b.Beat(x)
	require.Equal(t, []int32{first, first}, jobsOf(got))
	require.EqualValues(t, 1, got[0].Index, "the local one")
	_ = second
}

// assignTasks as in Hadoop: at most one off-switch map and one reduce per heartbeat.
func TestOneAtATime(t *testing.T) {
	b := newBench(t, "false")
	x := b.Join("x", "h1", "/r1", 4, 4)
	b.Join("y", "h2", "/r2", 0, 0)
	b.submit(job.Normal, 3, "h2", "h2", "h1")
	got := b.Beat(x)
	require.Len(t, got, 3)
	require.EqualValues(t, 2, got[0].Index, "the local map")
	require.Equal(t, job.Map, got[1].Type, "one far map")
	require.Equal(t, job.Reduce, got[2].Type, "one reduce")
	require.Len(t, b.Beat(x), 2)
	require.Len(t, b.Beat(x), 1)
}
