package fifo

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/jobtracker"
)

// FIFO_JOB_QUEUE_COMPARATOR: priority, then submission.
func TestOrderOfJobs(t *testing.T) {
	b := newBench(t, "true")
	low := b.submit(job.Low, 0, "")
	first := b.submit(job.Normal, 0, "", "")
	second := b.submit(job.Normal, 0, "")
	high := b.submit(job.VeryHigh, 0, "")
	tt := b.tracker("tt", "h", "/r", 5, 0)
	require.Equal(t, []int32{high, first, first, second, low}, jobsOf(b.beat(tt)))
}

// JobQueueJobInProgressListener.jobUpdated: the queue follows a changed priority.
func TestChangedPriority(t *testing.T) {
	b := newBench(t, "true")
	first := b.submit(job.Normal, 0, "", "")
	second := b.submit(job.Normal, 0, "", "")
	b.step(jobtracker.Input{Kind: jobtracker.InSetPriority, Job: second, Priority: job.High})
	tt := b.tracker("tt", "h", "/r", 4, 0)
	require.Equal(t, []int32{second, second, first, first}, jobsOf(b.beat(tt)))
}

// assignTasks: a job that comes first gives way when it has nothing that may run here.
func TestLaterJobsFillTheSlots(t *testing.T) {
	b := newBench(t, "true")
	first := b.submit(job.Normal, 0, "")
	second := b.submit(job.Normal, 0, "", "")
	tt := b.tracker("tt", "h", "/r", 2, 0)
	require.Equal(t, []int32{first, second}, jobsOf(b.beat(tt)))
}

// mapLoadFactor, reduceLoadFactor: a small job is spread over the cluster.
func TestLoadIsSpread(t *testing.T) {
	b := newBench(t, "true")
	x, y := b.tracker("x", "h1", "/r", 4, 4), b.tracker("y", "h2", "/r", 4, 4)
	b.submit(job.Normal, 2, "", "", "", "")
	require.Len(t, b.beat(x), 3, "half of the maps and of the reduces")
	require.Len(t, b.beat(y), 3)
	require.Empty(t, b.beat(x))
}

// trackerCurrentMapCapacity is rounded up.
func TestLoadIsRoundedUp(t *testing.T) {
	b := newBench(t, "true")
	x, y := b.tracker("x", "h1", "/r", 4, 0), b.tracker("y", "h2", "/r", 4, 0)
	b.submit(job.Normal, 0, "", "", "")
	require.Len(t, b.beat(x), 2)
	require.Len(t, b.beat(y), 1)
}

// howdah.fifo.assign.multiple: all slots in a beat.
func TestOneBeatFillsAllSlots(t *testing.T) {
	b := newBench(t, "true")
	x := b.tracker("x", "h1", "/r", 2, 3)
	b.submit(job.Normal, 2, "", "")
	b.submit(job.Normal, 2)
	require.Len(t, b.beat(x), 5)
}

// trackerCurrentMapCapacity is never more than the tracker has.
func TestMoreWorkThanSlots(t *testing.T) {
	b := newBench(t, "true")
	x := b.tracker("x", "h1", "/r", 2, 1)
	b.submit(job.Normal, 5, "", "", "", "")
	require.Len(t, b.beat(x), 3)
}

// obtainNewNodeOrRackLocalMapTask, obtainNewNonLocalMapTask: local maps first, of whichever job comes first; the first job's far map before the second job's local one.
func TestLocality(t *testing.T) {
	b := newBench(t, "true")
	x := b.tracker("x", "h1", "/r1", 2, 0)
	b.tracker("y", "h2", "/r2", 0, 0)
	first := b.submit(job.Normal, 0, "h2", "h1")
	second := b.submit(job.Normal, 0, "h1")
	got := b.beat(x)
	require.Equal(t, []int32{first, first}, jobsOf(got))
	require.EqualValues(t, 1, got[0].Index, "the local one")
	_ = second
}

// assignTasks as Hadoop has it: one map far from its input and one reduce a beat.
func TestOneAtATime(t *testing.T) {
	b := newBench(t, "false")
	x := b.tracker("x", "h1", "/r1", 4, 4)
	b.tracker("y", "h2", "/r2", 0, 0)
	b.submit(job.Normal, 3, "h2", "h2", "h1")
	got := b.beat(x)
	require.Len(t, got, 3)
	require.EqualValues(t, 2, got[0].Index, "the local map")
	require.Equal(t, job.Map, got[1].Type, "one far map")
	require.Equal(t, job.Reduce, got[2].Type, "one reduce")
	require.Len(t, b.beat(x), 2)
	require.Len(t, b.beat(x), 1)
}
