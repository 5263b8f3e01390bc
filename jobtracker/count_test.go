package jobtracker

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
)

// A job counts its attempts in slots of the other type and its second attempts. An attempt in a
// container borrows no slot.
func TestSchedulerCounters(t *testing.T) {
	r, _, register := withMemory(t)
	a, b := register("a", 2, 2), register("b", 2, 2)
	s := spec(3, 2)
	s.SlowStart = 0
	seq := r.submit(s)
	counts := func() (n [4]int64) {
		for i, name := range []string{job.BorrowedMaps, job.BorrowedReduces, job.SpeculativeMaps, job.SpeculativeReduces} {
			n[i], _ = r.m.Counters(seq, false).Get(job.GroupScheduler, name)
		}
		return n
	}
	require.True(t, r.m.Launch(mapAttempt(seq, 0, 0).Task, a, job.Map))
	require.True(t, r.m.Launch(reduceAttempt(seq, 0, 0).Task, a, job.Reduce))
	require.True(t, r.m.Launch(mapAttempt(seq, 1, 0).Task, a, job.Container))
	require.Equal(t, [4]int64{}, counts())
	require.True(t, r.m.Launch(mapAttempt(seq, 2, 0).Task, a, job.Reduce))
	require.Equal(t, [4]int64{1, 0, 0, 0}, counts())
	require.True(t, r.m.Launch(reduceAttempt(seq, 1, 0).Task, b, job.Map))
	require.Equal(t, [4]int64{1, 1, 0, 0}, counts())
	require.True(t, r.twin(reduceAttempt(seq, 0, 0).Task, b))
	require.Equal(t, [4]int64{1, 1, 0, 1}, counts())
	require.True(t, r.twin(mapAttempt(seq, 0, 0).Task, b))
	require.Equal(t, [4]int64{1, 1, 1, 1}, counts())
}

// A job's counters include those of a task's first attempt if it succeeds. Of two running attempts
// with equal progress, the older one represents the task.
func TestCountersOfWinnersAndLeaders(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 2, 0)
	seq := r.submit(spec(1, 0))
	r.beat(a)
	r.force(mapAttempt(seq, 0, 1), a)
	lines := says(job.AttemptRunning, mapAttempt(seq, 0, 0), mapAttempt(seq, 0, 1))
	for i := range lines {
		lines[i].Counters = &job.Counters{}
		lines[i].Counters.Builtin[job.MapInputRecords] = int64(10 + i)
	}
	r.beat(a, lines...)
	require.EqualValues(t, 10, r.m.Counters(seq, true).Builtin[job.MapInputRecords])
	lines[0].State = job.AttemptSucceeded
	r.beat(a, lines...)
	require.EqualValues(t, 10, r.m.Counters(seq, false).Builtin[job.MapInputRecords])
}
