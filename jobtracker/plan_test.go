package jobtracker

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/scheduler"
)

// lazy is a policy that assigns no work. It counts its calls.
type lazy struct {
	asked, resets, ticks int
	heard                []event.Type
	next                 int64
}

func (p *lazy) Reset(scheduler.View)                         { p.resets++ }
func (p *lazy) Observe(_ scheduler.View, e *event.Event)     { p.heard = append(p.heard, e.Type) }
func (p *lazy) Assign(scheduler.View, int32, scheduler.Plan) { p.asked++ }
func (p *lazy) NextDeadline() int64                          { return p.next }
func (p *lazy) Tick(scheduler.View, scheduler.Plan)          { p.ticks++ }

func lazyRig(t *testing.T, change ...func(*Config)) (*rig, *lazy) {
	r, p := newRig(t, change...), &lazy{}
	r.m.SetPolicy(p)
	return r, p
}

func TestPolicyIsAskedOnlyWhenItCanHelp(t *testing.T) {
	r, p := lazyRig(t)
	require.Equal(t, 1, p.resets)
	a := r.register("a", "h1", "/r", 1, 1, 0)
	r.beat(a)
	require.Zero(t, p.asked, "nothing waits")
	seq := r.submit(spec(2, 0))
	r.beat(a)
	require.Equal(t, 1, p.asked)
	require.True(t, r.m.Launch(mapAttempt(seq, 0, 0).Task, a, job.Map))
	r.beat(a)
	require.Equal(t, 1, p.asked, "no slot is free")
	require.Equal(t, []event.Type{event.TrackerJoined, event.JobSubmitted, event.JobStarted, event.AttemptStarted},
		p.heard)
}

func TestPolicysClock(t *testing.T) {
	r, p := lazyRig(t)
	require.Zero(t, r.m.NextDeadline())
	p.next = r.now + 5
	require.Equal(t, r.now+5, r.m.NextDeadline())
	r.step(Input{Kind: InTick})
	require.Zero(t, p.ticks)
	r.now += 5
	r.step(Input{Kind: InTick})
	require.Equal(t, 1, p.ticks)
}

func TestLaunchRefuses(t *testing.T) {
	r, _ := lazyRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	seq := r.submit(spec(2, 0))
	m := r.m
	for _, bad := range []struct {
		task    job.Task
		tracker int32
		slot    job.TaskType
	}{
		{mapAttempt(9, 0, 0).Task, a, job.Map},
		{mapAttempt(seq, 2, 0).Task, a, job.Map},
		{mapAttempt(seq, -1, 0).Task, a, job.Map},
		{reduceAttempt(seq, 0, 0).Task, a, job.Map},
		{job.Task{Job: seq, Type: job.Setup}, a, job.Map},
		{mapAttempt(seq, 0, 0).Task, 9, job.Map},
		{mapAttempt(seq, 0, 0).Task, a, job.Setup},
	} {
		require.False(t, m.Launch(bad.task, bad.tracker, bad.slot), "%v", bad)
	}
	require.True(t, m.Launch(mapAttempt(seq, 0, 0).Task, a, job.Map))
	require.False(t, m.Launch(mapAttempt(seq, 1, 0).Task, a, job.Map), "the slot is taken")
	require.False(t, m.Launch(mapAttempt(seq, 0, 0).Task, a, job.Reduce), "it runs, and there is no speculation")
	require.True(t, m.Launch(mapAttempt(seq, 1, 0).Task, a, job.Reduce), "a borrowed slot")
	require.Equal(t, [2]int32{1, 1}, m.Tracker(a).Used)
	require.NoError(t, m.Err())

	require.False(t, m.Kill(mapAttempt(seq, 0, 7), "x"))
	require.True(t, m.Kill(mapAttempt(seq, 0, 0), "preempted"))
	require.False(t, m.Kill(mapAttempt(seq, 0, 0), "again"))
	info, _ := m.AttemptInfo(mapAttempt(seq, 0, 0))
	require.Equal(t, "preempted", info.Text)
}

func TestLaunchOnTrackersThatGetNoWork(t *testing.T) {
	r, _ := lazyRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	seq := r.submit(spec(1, 0))
	r.report(&heartbeat.Report{Tracker: a, Unhealthy: "x"})
	require.False(t, r.m.Launch(mapAttempt(seq, 0, 0).Task, a, job.Map))
	_, _, ok := r.m.PickMap(seq, a, job.OffSwitch)
	require.False(t, ok)
	r.beat(a)
	r.step(Input{Kind: InKillJob, Job: seq})
	require.False(t, r.m.Launch(mapAttempt(seq, 0, 0).Task, a, job.Map))
}

// A launch or a kill outside the tracker's own beat wakes the tracker. During its beat, the reply
// contains the change.
func TestWhoIsWoken(t *testing.T) {
	r, p := lazyRig(t)
	a := r.register("a", "h1", "/r", 1, 2, 0)
	b := r.register("b", "h1", "/r", 1, 2, 0)
	seq := r.submit(spec(1, 0))
	require.Equal(t, []int32{a}, r.wakes, "one task, one tracker")
	other := r.submit(spec(1, 0))
	require.Equal(t, []int32{b}, r.wakes, "a is on its way already")
	r.submit(spec(1, 0))
	require.Empty(t, r.wakes, "all are on their way")
	r.beat(a)
	r.submit(spec(1, 0))
	require.Equal(t, []int32{a}, r.wakes, "a has been here and may come again")

	r.beat(a)
	r.beat(b)
	launch := &launcher{task: mapAttempt(seq, 0, 0).Task, tracker: b}
	launch.next = r.now
	r.m.SetPolicy(launch)
	r.step(Input{Kind: InTick})
	require.Equal(t, []int32{b}, r.wakes)
	r.m.SetPolicy(p)
	r.beat(b)
	require.Empty(t, r.wakes)
	r.step(Input{Kind: InKillJob, Job: seq})
	require.Equal(t, []int32{b}, r.wakes)
	r.step(Input{Kind: InKillJob, Job: other})
	require.Empty(t, r.wakes, "no tracker ran it")
}

// If a new policy can use a tracker that the old one could not, waiting tasks wake the tracker.
func TestPolicyMakesRoom(t *testing.T) {
	r, _, register := withMemory(t)
	a := register("a", 0, 0)
	r.beat(a)
	r.submit(spec(1, 0))
	require.Empty(t, r.wakes, "it has no slots")
	r.m.SetPolicy(&roomy{})
	r.submit(spec(1, 0))
	require.Equal(t, []int32{a}, r.wakes, "it has memory")
}

type launcher struct {
	lazy
	task    job.Task
	tracker int32
}

func (l *launcher) Tick(_ scheduler.View, p scheduler.Plan) {
	l.next = 0
	p.Launch(l.task, l.tracker, job.Map)
}

// A tracker that is on its way already counts for one waiting task. So each new task wakes only one
// more tracker.
func TestEachTaskWakesOneTracker(t *testing.T) {
	r, _ := lazyRig(t)
	var woken []int32
	for _, n := range []string{"a", "b", "c", "d"} {
		woken = append(woken, r.register(n, "h1", "/r", 1, 1, 0))
	}
	for _, tt := range woken {
		r.submit(spec(1, 0))
		require.Equal(t, []int32{tt}, r.wakes)
	}
}

func TestWakingTakesTurns(t *testing.T) {
	r, _ := lazyRig(t)
	var tts []int32
	for _, n := range []string{"a", "b", "c"} {
		tts = append(tts, r.register(n, "h1", "/r", 1, 1, 0))
	}
	full := r.register("d", "h1", "/r", 1, 0, 0)
	var woken []int32
	for range 4 {
		seq := r.submit(spec(1, 0))
		require.Len(t, r.wakes, 1)
		woken = append(woken, r.wakes[0])
		r.step(Input{Kind: InKillJob, Job: seq})
		r.beat(woken[len(woken)-1])
	}
	require.Equal(t, []int32{tts[0], tts[1], tts[2], tts[0]}, woken)
	require.NotContains(t, woken, full)
	r.submit(spec(9, 0))
	require.Len(t, r.wakes, 3, "many tasks wake all that have a slot")
}

func TestRunningIsListedByStart(t *testing.T) {
	r, _ := lazyRig(t)
	a := r.register("a", "h1", "/r", 1, 5, 5)
	seq := r.submit(spec(3, 0))
	b := r.register("b", "h2", "/r", 1, 5, 5)
	require.True(t, r.m.Launch(mapAttempt(seq, 2, 0).Task, a, job.Map))
	r.now += 10
	r.step(Input{Kind: InTick})
	require.True(t, r.m.Launch(mapAttempt(seq, 0, 0).Task, a, job.Map))
	r.now += 10
	r.step(Input{Kind: InTick})
	require.True(t, r.twin(mapAttempt(seq, 2, 0).Task, b))
	require.True(t, r.m.Kill(mapAttempt(seq, 2, 0), "x"))
	first := &scheduler.Attempt{}
	got := r.m.Running(seq, job.Map, []*scheduler.Attempt{first})
	require.Len(t, got, 3)
	require.Same(t, first, got[0])
	require.Equal(t, mapAttempt(seq, 0, 0), got[1].ID)
	require.Equal(t, mapAttempt(seq, 2, 1), got[2].ID)
	require.Empty(t, r.m.Running(seq, job.Reduce, nil))
	s := spec(0, 1)
	s.SlowStart = 0
	other := reduceAttempt(r.submit(s), 0, 0)
	require.True(t, r.m.Launch(other.Task, a, job.Reduce))
	reduces := r.m.Running(other.Job, job.Reduce, nil)
	require.Len(t, reduces, 1)
	require.Equal(t, other, reduces[0].ID)
	require.Equal(t, job.NoData, reduces[0].Locality, "only maps have input blocks")
	require.Empty(t, r.m.Running(seq, job.Setup, nil))
	require.Empty(t, r.m.Running(77, job.Map, nil))
}

// Ended lists the ended attempts of a type, ordered by task and attempt number.
func TestEnded(t *testing.T) {
	r, _ := lazyRig(t)
	a := r.register("a", "h1", "/r", 1, 5, 5)
	s := spec(3, 1)
	s.SlowStart = 0
	seq := r.submit(s)
	for _, i := range []int32{2, 0} {
		require.True(t, r.m.Launch(mapAttempt(seq, i, 0).Task, a, job.Map))
	}
	require.True(t, r.m.Launch(reduceAttempt(seq, 0, 0).Task, a, job.Reduce))
	require.True(t, r.m.Kill(mapAttempt(seq, 2, 0), "x"))
	require.True(t, r.m.Launch(mapAttempt(seq, 2, 0).Task, a, job.Map))
	r.now += 70
	r.beat(a, says(job.AttemptSucceeded, mapAttempt(seq, 2, 1), reduceAttempt(seq, 0, 0))...)
	ended := func(k job.TaskType) (ids []job.Attempt) {
		for _, x := range r.m.Ended(seq, k, nil) {
			require.True(t, x.State.Terminal())
			ids = append(ids, x.ID)
		}
		return ids
	}
	require.Equal(t, []job.Attempt{mapAttempt(seq, 2, 0), mapAttempt(seq, 2, 1)}, ended(job.Map), "the first one runs")
	require.Equal(t, []job.Attempt{reduceAttempt(seq, 0, 0)}, ended(job.Reduce))
	require.EqualValues(t, 70, r.m.Ended(seq, job.Reduce, nil)[0].Finish-r.m.Ended(seq, job.Reduce, nil)[0].Start)
	require.Empty(t, ended(job.Setup))
	require.Empty(t, r.m.Ended(99, job.Map, nil))
}

func TestPolicyThatNeverTicks(t *testing.T) {
	r, p := lazyRig(t)
	r.step(Input{Kind: InTick})
	require.Zero(t, p.ticks)
	p.next = r.now
	r.step(Input{Kind: InTick})
	require.Equal(t, 1, p.ticks)
}
