package jobtracker

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

func TestProgressOfJobs(t *testing.T) {
	r := newRig(t)
	tt := r.register("tt", "h", "/r", 1, 4, 1)
	s := spec(4, 1)
	s.MapAttempts, s.MapFailuresPercent, s.SlowStart = 1, 50, million
	seq := r.submit(s)
	progress := func() [2]int32 {
		info, ok := r.m.JobInfo(seq)
		require.True(t, ok)
		return info.Progress
	}
	require.Equal(t, [2]int32{}, progress())
	d := r.beat(tt)
	lines := says(job.AttemptRunning, d.Run...)
	lines[0].State, lines[1].State, lines[2].Progress = job.AttemptSucceeded, job.AttemptFailed, 400_000
	r.beat(tt, lines...)
	require.Equal(t, [2]int32{600_000, 0}, progress(), "one succeeded, one failed, one at 40 %, one at 0")
	r.beat(tt, says(job.AttemptSucceeded, r.run(tt)...)...)
	r.beat(tt, says(job.AttemptSucceeded, r.run(tt)...)...)
	require.Equal(t, job.Committing, r.state(seq))
	require.Equal(t, [2]int32{million, million}, progress())

	seq = r.submit(spec(0, 0))
	require.Equal(t, [2]int32{million, million}, progress(), "nothing to do is all done")
	seq = r.submit(spec(1, 0))
	require.Equal(t, [2]int32{0, 0}, progress(), "no reduces are not done before the job is")
	r.step(Input{Kind: InKillJob, Job: seq})
	r.step(Input{Kind: InAbortDone, Job: seq})
	require.Equal(t, [2]int32{0, 0}, progress())

	s = spec(4, 1)
	s.MapAttempts, s.SlowStart = 1, million
	seq = r.submit(s)
	lines = says(job.AttemptRunning, r.beat(tt).Run...)
	lines[0].State, lines[1].State, lines[2].Progress = job.AttemptSucceeded, job.AttemptFailed, 400_000
	r.beat(tt, lines...)
	r.beat(tt, says(job.AttemptKilled, r.run(tt)...)...)
	r.step(Input{Kind: InAbortDone, Job: seq})
	require.Equal(t, job.Failed, r.state(seq))
	require.Equal(t, [2]int32{250_000, 0}, progress(), "only the map that succeeded counts")

	_, ok := r.m.JobInfo(99)
	require.False(t, ok)
	_, ok = r.m.TrackerInfo(99)
	require.False(t, ok)
}

// The reported progress of a running task is that of its most advanced attempt.
func TestLeader(t *testing.T) {
	r := newRig(t)
	tt := r.register("tt", "h", "/r", 1, 3, 0)
	seq := r.submit(spec(1, 0))
	r.beat(tt)
	r.force(mapAttempt(seq, 0, 1), tt)
	r.force(mapAttempt(seq, 0, 2), tt)
	lines := says(job.AttemptRunning, r.run(tt)...)
	for i := range lines {
		lines[i].Progress = []int32{100, 300, 200}[i]
		lines[i].Counters = &job.Counters{}
		lines[i].Counters.Builtin[job.MapInputRecords] = int64(lines[i].Progress)
	}
	r.beat(tt, lines...)
	info, _ := r.m.JobInfo(seq)
	require.EqualValues(t, 300, info.Progress[job.Map])
	require.EqualValues(t, 300, r.m.Counters(seq, true).Builtin[job.MapInputRecords])
	r.step(Input{Kind: InKillAttempt, Attempt: mapAttempt(seq, 0, 1)})
	require.EqualValues(t, 200, r.m.Counters(seq, true).Builtin[job.MapInputRecords])
}

func TestCountersOfTime(t *testing.T) {
	r := newRig(t)
	tt := r.register("tt", "h", "/r", 1, 1, 1)
	s := spec(1, 1)
	s.MapMemory, s.ReduceMemory, s.MapVCores, s.ReduceVCores = 10, 20, 2, 3
	seq := r.submit(s)
	r.beat(tt)
	r.now += 100
	r.beat(tt, says(job.AttemptSucceeded, mapAttempt(seq, 0, 0))...)
	r.now += 1000
	r.beat(tt, says(job.AttemptSucceeded, reduceAttempt(seq, 0, 0))...)
	c := r.m.Counters(seq, false).Builtin
	for id, want := range map[job.CounterID]int64{
		job.MillisMaps: 100, job.SlotsMillisMaps: 100, job.MBMillisMaps: 1000, job.VCoresMillisMaps: 200,
		job.MillisReduces: 1000, job.SlotsMillisReduces: 1000, job.MBMillisReduces: 20_000, job.VCoresMillisReduces: 3000,
	} {
		require.Equal(t, want, c[id], "%v", id.Info().Name)
	}
	require.Nil(t, r.m.Counters(99, true))
	events := r.m.TaskEvents(seq, 0, 10, nil)
	require.EqualValues(t, 100, events[0].Millis)
	require.Equal(t, tt, events[1].Tracker)
	require.Equal(t, "SUCCEEDED", events[1].Status)
}

// For a finished job, Counters returns the final counters whether or not running is set.
func TestFinalCounters(t *testing.T) {
	r := newRig(t)
	seq := r.submit(spec(0, 0))
	r.step(Input{Kind: InCommitDone, Job: seq})
	require.Same(t, r.m.Counters(seq, false), r.m.Counters(seq, true))
}

func TestTaskEvents(t *testing.T) {
	r := newRig(t)
	tt := r.register("tt", "h", "/r", 1, 1, 1)
	s := spec(1, 0)
	s.MapAttempts = 2
	seq := r.submit(s)
	r.beat(tt)
	r.step(Input{Kind: InKillAttempt, Attempt: mapAttempt(seq, 0, 0)})
	r.beat(tt)
	r.beat(tt, failed(failure.User, "x", mapAttempt(seq, 0, 1))...)
	r.beat(tt, failed(failure.User, "x", mapAttempt(seq, 0, 2))...)
	status := func(from, n int) (got []string) {
		for _, e := range r.m.TaskEvents(seq, from, n, nil) {
			got = append(got, e.Status)
		}
		return got
	}
	require.Equal(t, []string{"KILLED", "FAILED", "TIPFAILED"}, status(0, 9))
	require.Equal(t, []string{"FAILED"}, status(1, 1))
	require.Empty(t, status(3, 9))
	require.Empty(t, status(4, 9))
	require.Empty(t, status(-1, 9))
	require.Empty(t, status(0, -1))
	require.Empty(t, r.m.TaskEvents(99, 0, 9, nil))
	require.Nil(t, r.m.Completions(99))
}

func TestAttemptsStopWhenAsked(t *testing.T) {
	r := newRig(t)
	tt := r.register("tt", "h", "/r", 1, 2, 2)
	s := spec(2, 1)
	s.SlowStart = 0
	seq := r.submit(s)
	r.beat(tt)
	var all []job.Attempt
	r.m.Attempts(seq, func(a AttemptInfo) bool { all = append(all, a.ID); return true })
	require.Equal(t, []job.Attempt{mapAttempt(seq, 0, 0), mapAttempt(seq, 1, 0), reduceAttempt(seq, 0, 0)}, all)
	n := 0
	r.m.Attempts(seq, func(AttemptInfo) bool { n++; return false })
	require.Equal(t, 1, n)
	r.m.Attempts(99, func(AttemptInfo) bool { t.Fatal("no such job"); return false })
	r.m.Winners(99, job.Map, func(AttemptInfo) { t.Fatal("no such job") })
	r.m.Winners(seq, job.Setup, func(AttemptInfo) { t.Fatal("no such tasks") })
	r.m.Winners(seq, job.Map, func(AttemptInfo) { t.Fatal("none has won") })
}

func TestNumbersOfJobs(t *testing.T) {
	r := newRig(t)
	require.Zero(t, r.m.UsedJobs())
	r.step(Input{Kind: InSubmit, Job: 3, Spec: spec(0, 0)})
	r.submit(spec(0, 0))
	r.step(Input{Kind: InSubmit, Job: 1, Spec: spec(0, 0)})
	require.EqualValues(t, 3, r.m.UsedJobs())
	require.Zero(t, r.m.Restarts())
}

// A job without tasks is complete from its commit on.
func TestProgressWithoutTasks(t *testing.T) {
	r := newRig(t)
	seq := r.finishEmpty("u")
	info, _ := r.m.JobInfo(seq)
	require.Equal(t, [2]int32{million, million}, info.Progress)
}

// Winners lists the successful attempts of the given type, which can be first attempts.
func TestWinners(t *testing.T) {
	r := newRig(t)
	tt := r.register("tt", "h", "/r", 1, 2, 2)
	s := spec(2, 2)
	s.SlowStart = 0
	seq := r.submit(s)
	r.beat(tt)
	r.step(Input{Kind: InKillAttempt, Attempt: reduceAttempt(seq, 1, 0)})
	r.beat(tt, says(job.AttemptSucceeded, mapAttempt(seq, 1, 0), reduceAttempt(seq, 0, 0))...)
	r.beat(tt, says(job.AttemptSucceeded, reduceAttempt(seq, 1, 1))...)
	winners := func(typ job.TaskType) (ids []job.Attempt) {
		r.m.Winners(seq, typ, func(a AttemptInfo) { ids = append(ids, a.ID) })
		return ids
	}
	require.Equal(t, []job.Attempt{mapAttempt(seq, 1, 0)}, winners(job.Map))
	require.Equal(t, []job.Attempt{reduceAttempt(seq, 0, 0), reduceAttempt(seq, 1, 1)}, winners(job.Reduce))
}

// A live tracker is unheard from the JobTracker's restart until its next report. A lost one is not.
func TestUnheardTrackers(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	r.submit(spec(1, 0))
	r.beat(a)
	unheard := func() bool {
		info, ok := r.m.TrackerInfo(a)
		require.True(t, ok)
		return info.Unheard
	}
	require.False(t, unheard())
	r.restart(len(r.facts))
	require.True(t, unheard())
	r.step(Input{Kind: InTrackerLeave, Tracker: a})
	require.False(t, unheard())
}
