package jobtracker

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
)

// run returns the attempts that a tracker must run, in a fixed order. It returns nil for an unknown
// tracker.
func (r *rig) run(tracker int32) []job.Attempt {
	t := r.m.trackers.Get(tracker)
	if t == nil {
		return nil
	}
	return placed(t)
}

func (r *rig) state(seq int32) job.State { return r.m.jobs.Get(seq).view.State }

func (r *rig) count(t event.Type) int {
	n := 0
	for _, e := range r.facts {
		if e.Type == t {
			n++
		}
	}
	return n
}

func failed(kind failure.Kind, text string, ids ...job.Attempt) []heartbeat.AttemptReport {
	out := says(job.AttemptFailed, ids...)
	for i := range out {
		out[i].Kind, out[i].Text = kind, text
	}
	return out
}

func mapAttempt(seq, index, n int32) job.Attempt {
	return job.Attempt{Task: job.Task{Job: seq, Type: job.Map, Index: index}, N: n}
}

func reduceAttempt(seq, index, n int32) job.Attempt {
	return job.Attempt{Task: job.Task{Job: seq, Type: job.Reduce, Index: index}, N: n}
}

func TestSubmitRefusesBadSpecifications(t *testing.T) {
	r := newRig(t, func(c *Config) { c.MaxTasksPerJob, c.MaxJobs = 10, 2 })
	for name, c := range map[string]struct {
		change func(*job.Spec)
		kind   failure.Kind
		names  string
	}{
		"reduces":     {func(s *job.Spec) { s.Reduces = -1 }, failure.Config, "mapreduce.job.reduces"},
		"maps":        {func(s *job.Spec) { s.MapAttempts = 0 }, failure.Config, "mapreduce.map.maxattempts"},
		"attempts":    {func(s *job.Spec) { s.ReduceAttempts = 0 }, failure.Config, "mapreduce.reduce.maxattempts"},
		"slow start":  {func(s *job.Spec) { s.SlowStart = million + 1 }, failure.Config, "slowstart"},
		"slow start2": {func(s *job.Spec) { s.SlowStart = -1 }, failure.Config, "slowstart"},
		"percent":     {func(s *job.Spec) { s.MapFailuresPercent = 101 }, failure.Config, "maxpercent"},
		"percent2":    {func(s *job.Spec) { s.ReduceFailuresPercent = -1 }, failure.Config, "maxpercent"},
		"percent3":    {func(s *job.Spec) { s.MapFailuresPercent = -1 }, failure.Config, "maxpercent"},
		"percent4":    {func(s *job.Spec) { s.ReduceFailuresPercent = 101 }, failure.Config, "maxpercent"},
		"priority":    {func(s *job.Spec) { s.Priority = 3 }, failure.Config, "mapreduce.job.priority"},
		"priority2":   {func(s *job.Spec) { s.Priority = -3 }, failure.Config, "mapreduce.job.priority"},
		"tasks":       {func(s *job.Spec) { s.Reduces = 11 }, failure.Limit, "mapred.jobtracker.maxtasks.per.job"},
	} {
		s := spec(0, 1)
		c.change(s)
		o := r.step(Input{Kind: InSubmit, Spec: s})
		require.NotNil(t, o.Err, name)
		require.Equal(t, c.kind, o.Err.Kind, name)
		require.Contains(t, o.Err.Error(), c.names)
	}
	require.Empty(t, r.m.AllJobs(), "nothing bad was admitted")
	require.NotNil(t, r.step(Input{Kind: InSubmit}).Err)

	s := spec(10, 0)
	s.Priority, s.SlowStart, s.MapFailuresPercent, s.ReduceFailuresPercent = job.VeryLow, million, 100, 100
	r.submit(s)
	s = spec(1, 9)
	s.Priority, s.SlowStart = job.VeryHigh, 0
	r.submit(s)
	o := r.step(Input{Kind: InSubmit, Spec: spec(1, 0)})
	require.Equal(t, failure.Limit, o.Err.Kind)
	require.Contains(t, o.Err.Error(), "howdah.jobtracker.jobs.maximum")
}

func TestUnlimitedWhenNotConfigured(t *testing.T) {
	r := newRig(t, func(c *Config) { c.MaxTasksPerJob, c.MaxJobs, c.MaxTrackers = -1, 0, 0 })
	for range 3 {
		r.submit(spec(200, 100))
	}
	require.Equal(t, failure.Limit, r.step(Input{Kind: InSubmit, Spec: spec(1, maxTasks)}).Err.Kind,
		"but no submission may eat the memory")
	r.register("tt", "h", "/r", 1, 1, 1)
}

func TestOneKeyIsOneJob(t *testing.T) {
	r := newRig(t)
	s := spec(1, 0)
	s.SubmitKey = "k"
	seq := r.submit(s)
	require.Equal(t, seq, r.submit(s))
	require.Equal(t, seq, r.m.JobByKey("k"))
	require.NotEqual(t, seq, r.submit(spec(1, 0)), "no key, no check")
	require.Equal(t, 2, r.count(event.JobSubmitted))
}

func TestNumbersMayBeHandedOutAhead(t *testing.T) {
	r := newRig(t)
	require.EqualValues(t, 1, r.submit(spec(0, 0)))
	require.EqualValues(t, 7, r.step(Input{Kind: InSubmit, Job: 7, Spec: spec(0, 0)}).Job)
	require.EqualValues(t, 5, r.step(Input{Kind: InSubmit, Job: 5, Spec: spec(0, 0)}).Job,
		"submitted later, staged earlier")
	require.EqualValues(t, 8, r.submit(spec(0, 0)))
	require.Equal(t, failure.Exists, r.step(Input{Kind: InSubmit, Job: 7, Spec: spec(0, 0)}).Err.Kind)
	require.NotNil(t, r.step(Input{Kind: InSubmit, Job: -2, Spec: spec(0, 0)}).Err)
	require.EqualValues(t, 8, r.m.LastJob())
	require.True(t, r.m.WasUsed(5))
	require.False(t, r.m.WasUsed(6))
}

func TestJobWithoutTasksGoesToItsCommit(t *testing.T) {
	r := newRig(t)
	seq := r.submit(spec(0, 0))
	require.Equal(t, job.Committing, r.state(seq))
	require.Equal(t, OutCommit, r.asks[0].Kind)
	r.step(Input{Kind: InCommitDone, Job: seq})
	require.Equal(t, job.Succeeded, r.state(seq))
}

func TestReducesWithoutMapsStartAtOnce(t *testing.T) {
	r := newRig(t)
	tt := r.register("tt", "h", "/r", 1, 1, 1)
	s := spec(0, 1)
	s.SlowStart = million
	seq := r.submit(s)
	require.Equal(t, []job.Attempt{reduceAttempt(seq, 0, 0)}, r.beat(tt).Run)
}

func TestSlowStart(t *testing.T) {
	r := newRig(t)
	tt := r.register("tt", "h", "/r", 1, 4, 4)
	s := spec(4, 1)
	s.SlowStart = 500_000
	seq := r.submit(s)
	require.Len(t, r.beat(tt).Run, 4)
	require.Len(t, r.beat(tt, append(says(job.AttemptSucceeded, mapAttempt(seq, 0, 0)),
		says(job.AttemptRunning, mapAttempt(seq, 1, 0), mapAttempt(seq, 2, 0), mapAttempt(seq, 3, 0))...)...).Run, 3,
		"one of four is not half")
	require.False(t, r.m.Launch(reduceAttempt(seq, 0, 0).Task, tt, job.Reduce))
	require.Contains(t, r.beat(tt, append(says(job.AttemptSucceeded, mapAttempt(seq, 1, 0)),
		says(job.AttemptRunning, mapAttempt(seq, 2, 0), mapAttempt(seq, 3, 0))...)...).Run, reduceAttempt(seq, 0, 0))
}

func TestFailingTaskFailsItsJobWithTheUsersError(t *testing.T) {
	r := newRig(t)
	tt := r.register("tt", "h", "/r", 1, 2, 2)
	s := spec(2, 0)
	s.MapAttempts = 2
	seq := r.submit(s)
	r.beat(tt)
	r.beat(tt, append(failed(failure.User, "boom", mapAttempt(seq, 0, 0)),
		says(job.AttemptRunning, mapAttempt(seq, 1, 0))...)...)
	require.Equal(t, job.Running, r.state(seq))
	require.Contains(t, r.run(tt), mapAttempt(seq, 0, 1))
	r.beat(tt, append(failed(failure.User, "boom again", mapAttempt(seq, 0, 1)),
		says(job.AttemptRunning, mapAttempt(seq, 1, 0))...)...)
	require.Equal(t, job.Aborting, r.state(seq))
	require.Empty(t, r.run(tt), "what still runs is killed")
	require.Empty(t, r.asks, "and the cleanup waits for it")
	r.beat(tt)
	require.Equal(t, OutAbort, r.asks[0].Kind)
	require.Nil(t, r.step(Input{Kind: InAbortDone, Job: seq}).Err)
	info, _ := r.m.JobInfo(seq)
	require.Equal(t, job.Failed, info.State)
	require.Equal(t, failure.User, info.Kind)
	require.Contains(t, info.Text, "boom again")
	require.Contains(t, info.Text, "task_200001010000_0001_m_000000")
	require.Equal(t, job.TaskFailed, r.m.jobs.Get(seq).tasks[job.Map][0].state)
	require.Equal(t, job.TaskKilled, r.m.jobs.Get(seq).tasks[job.Map][1].state)
	c := r.m.Counters(seq, false)
	require.EqualValues(t, 2, c.Builtin[job.FailedMaps])
	require.EqualValues(t, 1, c.Builtin[job.KilledMaps])
}

func TestKilledAttemptsDoNotCount(t *testing.T) {
	r := newRig(t)
	tt := r.register("tt", "h", "/r", 1, 1, 1)
	s := spec(0, 1)
	s.ReduceAttempts = 1
	seq := r.submit(s)
	for n := range int32(5) {
		require.Equal(t, []job.Attempt{reduceAttempt(seq, 0, n)}, r.beat(tt).Run)
		require.Nil(t, r.step(Input{Kind: InKillAttempt, Attempt: reduceAttempt(seq, 0, n), Text: "go away"}).Err)
		require.Equal(t, []int32{tt}, r.wakes)
	}
	require.Equal(t, job.Running, r.state(seq))
	r.beat(tt)
	require.Nil(t, r.step(Input{Kind: InFailAttempt, Attempt: reduceAttempt(seq, 0, 5)}).Err)
	require.Equal(t, job.Aborting, r.state(seq), "a failed one does")
	a, _ := r.m.AttemptInfo(reduceAttempt(seq, 0, 5))
	require.Equal(t, "ended on request", a.Text)
	a, _ = r.m.AttemptInfo(reduceAttempt(seq, 0, 4))
	require.Equal(t, "go away", a.Text)
	require.EqualValues(t, 5, r.m.Counters(seq, false).Builtin[job.KilledReduces])
	require.EqualValues(t, 1, r.m.Counters(seq, false).Builtin[job.FailedReduces])
}

func TestToleratedFailures(t *testing.T) {
	r := newRig(t)
	tt := r.register("tt", "h", "/r", 1, 2, 2)
	s := spec(2, 1)
	s.MapAttempts, s.MapFailuresPercent, s.SlowStart = 1, 50, million
	seq := r.submit(s)
	r.beat(tt)
	d := r.beat(tt, append(failed(failure.User, "boom", mapAttempt(seq, 0, 0)),
		says(job.AttemptSucceeded, mapAttempt(seq, 1, 0))...)...)
	require.Equal(t, []job.Attempt{reduceAttempt(seq, 0, 0)}, d.Run,
		"a map that failed for good is done for the slow start")
	require.Equal(t, []Completion{{Map: 0, Attempt: -1}, {Map: 1, Attempt: 0, Tracker: tt}}, r.m.Completions(seq))
	r.beat(tt, says(job.AttemptSucceeded, reduceAttempt(seq, 0, 0))...)
	require.Equal(t, job.Committing, r.state(seq))
	info, _ := r.m.JobInfo(seq)
	require.Equal(t, [2]int32{1, 0}, info.Failed)

	s = spec(3, 0)
	s.MapAttempts, s.MapFailuresPercent = 1, 50
	seq = r.submit(s)
	r.beat(tt)
	r.beat(tt, failed(failure.User, "boom", mapAttempt(seq, 0, 0), mapAttempt(seq, 1, 0))...)
	require.Equal(t, job.Aborting, r.state(seq), "two of three are more than half")
}

// A job fails if its tasks together have too many counters, even if each task is within the limits,
// as in Hadoop's JobTracker.
func TestTooManyCountersFailTheJob(t *testing.T) {
	for max, want := range map[int32]job.State{0: job.Committing, 3: job.Committing, 2: job.Aborting} {
		r := newRig(t)
		tt := r.register("tt", "h", "/r", 1, 3, 1)
		s := spec(3, 0)
		s.MaxCounters = max
		seq := r.submit(s)
		r.beat(tt)
		done := says(job.AttemptSucceeded, mapAttempt(seq, 0, 0), mapAttempt(seq, 1, 0), mapAttempt(seq, 2, 0))
		for i := range done {
			done[i].Counters = &job.Counters{}
			done[i].Counters.Add("g", fmt.Sprint("n", i), 1)
		}
		r.beat(tt, done[:2]...)
		require.Equal(t, job.Running, r.state(seq))
		r.restart(len(r.facts)) // recovery must restore the counts
		r.beat(r.register("tt", "h", "/r", 1, 3, 1), done[2:]...)
		require.Equal(t, want, r.state(seq), "at most %d", max)
		if info, _ := r.m.JobInfo(seq); want == job.Aborting {
			require.Equal(t, failure.Limit, info.Kind)
			require.Contains(t, info.Text, "Too many counters: 3 max=2")
		}
	}
}

func TestKill(t *testing.T) {
	r := newRig(t)
	tt := r.register("tt", "h", "/r", 1, 1, 1)
	require.Equal(t, failure.NotFound, r.step(Input{Kind: InKillJob, Job: 9}).Err.Kind)
	seq := r.submit(spec(2, 0))
	r.beat(tt)
	require.Nil(t, r.step(Input{Kind: InKillJob, Job: seq, Text: strings.Repeat("ä", maxText)}).Err)
	require.Equal(t, []int32{tt}, r.wakes)
	require.Equal(t, job.Aborting, r.state(seq))
	require.Nil(t, r.step(Input{Kind: InKillJob, Job: seq}).Err, "again is no error")
	require.Equal(t, 1, r.count(event.JobKillRequested))
	r.beat(tt)
	r.step(Input{Kind: InAbortDone, Job: seq, Err: "disk"})
	info, _ := r.m.JobInfo(seq)
	require.Equal(t, job.Killed, info.State)
	require.Equal(t, failure.Killed, info.Kind)
	require.True(t, utf8.ValidString(info.Text))
	require.LessOrEqual(t, len(info.Text), maxText)
	require.Nil(t, r.step(Input{Kind: InKillJob, Job: seq}).Err)
	require.Equal(t, 1, r.count(event.JobKillRequested))

	seq = r.submit(spec(0, 0))
	o := r.step(Input{Kind: InKillJob, Job: seq})
	require.Equal(t, failure.Stale, o.Err.Kind)
	require.Contains(t, o.Err.Error(), "the output is being published")
	r.step(Input{Kind: InCommitDone, Job: seq})
	require.Equal(t, job.Succeeded, r.state(seq))
}

func TestWhyAJobWasKilled(t *testing.T) {
	r := newRig(t)
	seq := r.submit(spec(1, 0))
	r.step(Input{Kind: InKillJob, Job: seq})
	r.step(Input{Kind: InAbortDone, Job: seq, Err: "disk full"})
	info, _ := r.m.JobInfo(seq)
	require.Equal(t, "killed on request; the cleanup failed too: disk full", info.Text)
}

// If a tracker does not confirm the end of its attempts, the cleanup starts after Config.EndWait.
func TestCleanUpWaitsSoLong(t *testing.T) {
	r := newRig(t)
	tt := r.register("tt", "h", "/r", 1, 1, 1)
	seq := r.submit(spec(1, 0))
	r.beat(tt)
	r.step(Input{Kind: InKillJob, Job: seq})
	at := r.now + r.m.cfg.EndWait
	require.Equal(t, at, r.m.NextDeadline())
	r.now = at - 1
	r.step(Input{Kind: InTick})
	require.Empty(t, r.asks)
	r.now = at
	r.step(Input{Kind: InTick})
	require.Equal(t, OutAbort, r.asks[0].Kind)
	r.step(Input{Kind: InTick})
	require.Empty(t, r.asks, "asked once")
	require.NotEqual(t, at, r.m.NextDeadline())
}

func TestFailedCommitFailsTheJob(t *testing.T) {
	r := newRig(t)
	seq := r.submit(spec(0, 0))
	require.NotNil(t, r.step(Input{Kind: InAbortDone, Job: seq}).Err)
	require.Nil(t, r.step(Input{Kind: InCommitDone, Job: seq, Err: "no space"}).Err)
	require.Equal(t, job.Aborting, r.state(seq))
	require.Equal(t, OutAbort, r.asks[0].Kind)
	require.NotNil(t, r.step(Input{Kind: InCommitDone, Job: seq}).Err)
	r.step(Input{Kind: InAbortDone, Job: seq})
	info, _ := r.m.JobInfo(seq)
	require.Equal(t, job.Failed, info.State)
	require.Equal(t, failure.IO, info.Kind)
	require.Contains(t, info.Text, "no space")
}

// A running job whose output is complete succeeds without its remaining tasks, unless it has its own
// committer.
func TestPublished(t *testing.T) {
	r := newRig(t)
	seq := r.submit(spec(2, 1))
	require.Nil(t, r.step(Input{Kind: InPublished, Job: seq}).Err)
	require.Equal(t, job.Aborting, r.state(seq))
	require.NotNil(t, r.step(Input{Kind: InPublished, Job: seq}).Err)
	r.step(Input{Kind: InAbortDone, Job: seq})
	info, _ := r.m.JobInfo(seq)
	require.Equal(t, job.Succeeded, info.State)
	require.Contains(t, info.Text, "the journal has lost the end of this job")
	own := spec(0, 0)
	own.Committer = true
	require.NotNil(t, r.step(Input{Kind: InPublished, Job: r.submit(own)}).Err)
}

func TestPriority(t *testing.T) {
	r := newRig(t)
	seq := r.submit(spec(1, 0))
	require.Nil(t, r.step(Input{Kind: InSetPriority, Job: seq, Priority: job.High}).Err)
	require.Equal(t, job.High, r.m.Job(seq).Priority)
	require.Nil(t, r.step(Input{Kind: InSetPriority, Job: seq, Priority: job.High}).Err)
	require.Equal(t, 1, r.count(event.JobPriorityChanged), "no change, no fact")
	for _, p := range []job.Priority{-3, 3} {
		require.Equal(t, failure.Usage, r.step(Input{Kind: InSetPriority, Job: seq, Priority: p}).Err.Kind)
	}
	for _, p := range []job.Priority{job.VeryLow, job.VeryHigh} {
		require.Nil(t, r.step(Input{Kind: InSetPriority, Job: seq, Priority: p}).Err)
	}
	require.NotNil(t, r.step(Input{Kind: InSetPriority, Job: 99}).Err)
}

// A deadline that changes or ends is in the job's view and survives the replay of the journal. The
// specification that the client submitted stays as it is, because others read it concurrently.
func TestDeadline(t *testing.T) {
	r := newRig(t)
	s := spec(1, 0)
	s.Deadline = 5
	seq := r.submit(s)
	set := func(id int32, ms int64) *failure.Error {
		return r.step(Input{Kind: InSetDeadline, Job: id, Millis: ms}).Err
	}
	for _, ms := range []int64{9, 0, 7, 7} {
		require.Nil(t, set(seq, ms))
		require.Equal(t, ms, r.m.Job(seq).Spec.Deadline)
		require.Equal(t, dump(r.m), dump(r.replayed()))
	}
	require.Equal(t, 3, r.count(event.JobDeadlineChanged), "no change, no fact")
	require.EqualValues(t, 5, s.Deadline)
	require.Equal(t, failure.Usage, set(seq, -1).Kind)
	require.Equal(t, failure.NotFound, set(99, 9).Kind)
	r.step(Input{Kind: InKillJob, Job: seq})
	r.step(Input{Kind: InAbortDone, Job: seq})
	name := job.ID{Cluster: r.m.cluster, Seq: seq}.String()
	require.EqualError(t, set(seq, 9), "set deadline "+name+": the job has ended")
	require.EqualValues(t, 7, r.m.Job(seq).Spec.Deadline)
}

func (r *rig) finishEmpty(user string) int32 {
	s := spec(0, 0)
	s.User = user
	s.SubmitKey = user + string(rune('a'+len(r.m.AllJobs()))) + string(rune('a'+r.req%26))
	seq := r.submit(s)
	r.step(Input{Kind: InCommitDone, Job: seq})
	return seq
}

func TestFinishedJobsRetire(t *testing.T) {
	r := newRig(t, func(c *Config) { c.CompletedPerUser, c.CompletedTotal = 2, 3 })
	a1 := r.finishEmpty("a")
	a2 := r.finishEmpty("a")
	r.finishEmpty("b")
	require.Len(t, r.m.AllJobs(), 3)
	r.finishEmpty("a")
	require.Nil(t, r.m.Job(a1), "the oldest of the user")
	require.Equal(t, OutForget, r.asks[len(r.asks)-1].Kind)
	require.Equal(t, a1, r.asks[len(r.asks)-1].Job)
	require.NotNil(t, r.m.Job(a2))
	r.finishEmpty("b")
	require.Nil(t, r.m.Job(a2), "the oldest of all")
	require.Len(t, r.m.finished, 3)
	require.True(t, r.m.WasUsed(a1))
	require.Equal(t, failure.Exists, r.step(Input{Kind: InSubmit, Job: a1, Spec: spec(0, 0)}).Err.Kind)
	require.Len(t, r.m.keys, 3)
}

// The JobTracker retires a user's finished jobs early if their splits and attempts occupy too much.
func TestLargeFinishedJobsRetire(t *testing.T) {
	r := newRig(t, func(c *Config) { c.CompletedMemory = 1 << 20 })
	kill := func(user string, maps int32) int32 {
		s := spec(maps, 0)
		s.User, s.SubmitKey = user, user+string(rune('a'+r.req%26))
		for i := range s.Splits {
			s.Splits[i].Hosts = []string{"h"}
		}
		seq := r.submit(s)
		require.Equal(t, "h", r.m.Job(seq).Spec.Splits[0].Hosts[0])
		r.step(Input{Kind: InKillJob, Job: seq})
		r.step(Input{Kind: InAbortDone, Job: seq})
		require.True(t, r.m.Job(seq).State.Terminal())
		require.Nil(t, r.m.Job(seq).Spec.Splits[0].Hosts, "an ended job needs no hosts")
		require.NotNil(t, s.Splits[0].Hosts, "the specification belongs to others too")
		return seq
	}
	a1, b1 := kill("a", 6000), kill("b", 6000)
	a2 := kill("a", 6000)
	require.Nil(t, r.m.Job(a1), "two of the jobs occupy more than a MiB")
	require.NotNil(t, r.m.Job(b1), "the job of another user")
	require.NotNil(t, r.m.Job(a2))
	a3 := kill("a", 12_000)
	require.Nil(t, r.m.Job(a2))
	require.NotNil(t, r.m.Job(a3), "the newest job is larger than the limit")
	kill("b", 1)
	require.NotNil(t, r.m.Job(a3))
	s := spec(1, 0)
	s.User = "a"
	r.submit(s)
	require.Nil(t, r.m.Job(a3), "the user has submitted another job")
}

func TestLimitsOnRunningTasks(t *testing.T) {
	r := newRig(t)
	tt := r.register("tt", "h", "/r", 1, 4, 4)
	s := spec(4, 4)
	s.MapLimit, s.ReduceLimit, s.SlowStart = 2, 1, 0
	seq := r.submit(s)
	require.Len(t, r.beat(tt).Run, 3)
	require.Equal(t, [2]int32{2, 1}, r.m.Job(seq).Running)
	require.False(t, r.m.Launch(mapAttempt(seq, 3, 0).Task, tt, job.Map))
	require.False(t, r.m.Launch(reduceAttempt(seq, 3, 0).Task, tt, job.Reduce))
}

// Each limit on jobs and tasks admits its exact value. Finished jobs do not count as unfinished.
func TestLimitsAdmitTheirValue(t *testing.T) {
	r := newRig(t, func(c *Config) { c.MaxJobs, c.MaxTasksPerJob = 1, 0 })
	for range 3 {
		seq := r.submit(spec(0, 0))
		require.Equal(t, failure.Limit, r.step(Input{Kind: InSubmit, Spec: spec(0, 0)}).Err.Kind)
		r.step(Input{Kind: InCommitDone, Job: seq})
	}
	require.Equal(t, failure.Limit, r.step(Input{Kind: InSubmit, Spec: spec(0, 1)}).Err.Kind, "no task is allowed")
	require.False(t, tooManyTasks(spec(1, maxTasks-1)))
	require.True(t, tooManyTasks(spec(1, maxTasks)))
}

// A refusal names the job and repeats the wrong value as the user wrote it.
func TestRefusalsNameTheJob(t *testing.T) {
	r := newRig(t)
	s := spec(1, 0)
	s.Name, s.SlowStart = "wordcount", 1_500_000
	err := r.step(Input{Kind: InSubmit, Spec: s}).Err
	require.ErrorContains(t, err, "wordcount")
	require.ErrorContains(t, err, "slowstart.completedmaps=1.5:")
}

// A job gives the failure that it did not tolerate as its reason, not an earlier one that it did
// tolerate. This also holds if a crash separates that failure from its consequences, one of which is
// the end of the task's other attempt.
func TestReasonIsTheFailureThatWasTooMuch(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 2, 1)
	b := r.register("b", "h2", "/r", 1, 0, 1)
	s := spec(2, 1)
	s.MapAttempts, s.ReduceAttempts, s.MapFailuresPercent, s.SlowStart = 1, 1, 50, 0
	seq := r.submit(s)
	r.beat(a)
	require.True(t, r.twin(reduceAttempt(seq, 0, 0).Task, b))
	lines := says(job.AttemptRunning, mapAttempt(seq, 1, 0), reduceAttempt(seq, 0, 0))
	r.beat(a, append(failed(failure.User, "bad map", mapAttempt(seq, 0, 0)), lines...)...)
	require.Equal(t, job.Running, r.state(seq))
	r.beat(a, append(failed(failure.User, "bad reduce", reduceAttempt(seq, 0, 0)), lines[:1]...)...)
	info, _ := r.m.JobInfo(seq)
	require.Equal(t, job.Aborting, info.State)
	require.Contains(t, info.Text, "bad reduce")
	r.restart(r.lastFact(event.TaskFinished) + 1)
	info, _ = r.m.JobInfo(seq)
	require.Equal(t, job.Aborting, info.State)
	require.Contains(t, info.Text, "bad reduce")
}

// If a crash separates the abort of a job from the kills of its attempts, the cleanup still waits for
// the attempts, even though another job is settled first.
func TestCleanUpWaitsForAttemptsAfterACrash(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 2, 1)
	r.submit(spec(1, 0))
	s := spec(1, 1)
	s.SlowStart = 0
	seq := r.submit(s)
	require.Len(t, r.beat(a).Run, 3)
	r.step(Input{Kind: InKillJob, Job: seq})
	r.restart(r.lastFact(event.JobAborting) + 1)
	require.Equal(t, job.Aborting, r.state(seq))
	require.Empty(t, r.asks)
	r.beat(a)
	require.Equal(t, []Output{{Kind: OutAbort, Job: seq}}, r.asks)
}

// After a restart, a commit does not wait for trackers on which all attempts of the job succeeded or
// none ran.
func TestCommitDoesNotWaitForSuccessfulTrackers(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	r.register("b", "h2", "/r", 1, 1, 1)
	seq := r.submit(spec(1, 0))
	r.beat(a)
	r.beat(a, says(job.AttemptSucceeded, mapAttempt(seq, 0, 0))...)
	r.restart(len(r.facts))
	require.Equal(t, []Output{{Kind: OutCommit, Job: seq}}, r.asks)
}

// A long text loses its end, but no character is split. Text that is not UTF-8 can lose everything.
func TestClip(t *testing.T) {
	exact := strings.Repeat("x", maxText)
	for _, c := range []struct{ text, want string }{
		{"short", "short"},
		{exact, exact},
		{exact + "y", exact},
		{strings.Repeat("€", maxText), strings.Repeat("€", maxText/3)},
		{strings.Repeat("\x80", maxText+1), ""},
	} {
		require.Equal(t, c.want, clip(c.text))
	}
}
