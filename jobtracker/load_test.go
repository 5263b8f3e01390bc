package jobtracker

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/scheduler"
)

// withMemory returns a rig with a lazy policy, and a function that registers a tracker with 4 GiB
// and 8 cores. A map slot has 1 GiB, a reduce slot 2 GiB.
func withMemory(t *testing.T) (*rig, *lazy, func(name string, slots ...int32) int32) {
	r, p := lazyRig(t, func(c *Config) { c.SlotMemory = [2]int32{1024, 2048} })
	return r, p, func(name string, slots ...int32) int32 {
		o := r.step(Input{Kind: InRegister, Register: &Register{Name: name, Host: name, Incarnation: 1,
			Slots: [2]int32(slots), Memory: 4096, VCores: 8}})
		r.inc[o.Tracker] = 1
		return o.Tracker
	}
}

func TestWidth(t *testing.T) {
	for _, c := range []struct {
		asked, unit, want int32
	}{{0, 1024, 1}, {1, 1024, 1}, {1024, 1024, 1}, {1025, 1024, 2}, {4096, 1024, 4}, {4096, 0, 1}, {4096, -1, 1},
		{maxMemory, 1, maxMemory}, {-1, 1024, 1}} {
		m := &Machine{cfg: Config{SlotMemory: [2]int32{c.unit, 512}}}
		require.Equal(t, c.want, m.width(&job.Spec{MapMemory: c.asked}, job.Map, job.Map), "%+v", c)
	}
	m := &Machine{cfg: Config{SlotMemory: [2]int32{1024, 512}}}
	s := &job.Spec{MapMemory: 2048, ReduceMemory: 1024}
	require.EqualValues(t, 4, m.width(s, job.Map, job.Reduce), "a borrowed slot is smaller")
	require.EqualValues(t, 1, m.width(s, job.Reduce, job.Map))
	require.EqualValues(t, 2, m.width(s, job.Reduce, job.Reduce))
	require.Zero(t, m.width(s, job.Map, job.Container))
}

func TestWideTasks(t *testing.T) {
	r, _, register := withMemory(t)
	a := register("a", 4, 1)
	s := spec(3, 1)
	s.MapMemory, s.ReduceMemory, s.MapVCores, s.SlowStart = 2000, 2049, 3, 0
	seq := r.submit(s)
	require.Equal(t, [2]int32{2, 2}, r.m.Job(seq).Width)
	require.True(t, r.m.Launch(mapAttempt(seq, 0, 0).Task, a, job.Map))
	last := r.m.out[len(r.m.out)-1].Event
	require.Equal(t, event.AttemptStarted, last.Type)
	require.EqualValues(t, 2, last.N)
	require.EqualValues(t, 2, r.m.Attempt(mapAttempt(seq, 0, 0)).Width)
	v := r.m.Tracker(a)
	require.Equal(t, [2]int32{2, 0}, v.Used)
	require.Equal(t, [2]int32{2, 0}, r.m.Cluster().Used)
	require.EqualValues(t, 2000, v.UsedMemory)
	require.EqualValues(t, 3, v.UsedVCores)
	require.False(t, r.m.Launch(reduceAttempt(seq, 0, 0).Task, a, job.Reduce), "it needs two")
	require.True(t, r.m.Launch(mapAttempt(seq, 1, 0).Task, a, job.Reduce), "a map in a borrowed slot of 2 GiB")
	require.Zero(t, r.m.out[len(r.m.out)-1].Event.N)
	require.Equal(t, [2]int32{2, 1}, v.Used)
	require.True(t, r.m.Launch(mapAttempt(seq, 2, 0).Task, a, job.Map))
	require.Equal(t, [2]int32{4, 1}, v.Used)
	require.EqualValues(t, 6000, v.UsedMemory, "slots are what counts here")

	require.True(t, r.m.Kill(mapAttempt(seq, 0, 0), "x"))
	require.Equal(t, [2]int32{4, 1}, v.Used, "until it is gone")
	require.EqualValues(t, 6000, v.UsedMemory)
	r.beat(a, says(job.AttemptRunning, mapAttempt(seq, 0, 0), mapAttempt(seq, 1, 0), mapAttempt(seq, 2, 0))...)
	require.Equal(t, [2]int32{4, 1}, v.Used)
	r.now += 10
	r.beat(a, says(job.AttemptRunning, mapAttempt(seq, 1, 0), mapAttempt(seq, 2, 0))...)
	require.Equal(t, [2]int32{2, 1}, v.Used)
	require.EqualValues(t, 4000, v.UsedMemory)
	require.EqualValues(t, 6, v.UsedVCores)
	r.now += 90
	r.beat(a, says(job.AttemptSucceeded, mapAttempt(seq, 1, 0), mapAttempt(seq, 2, 0))...)
	require.EqualValues(t, 300, r.m.Counters(seq, false).Builtin[job.SlotsMillisMaps], "one slot and two slots for 100 ms")
	require.EqualValues(t, 200, r.m.Counters(seq, false).Builtin[job.MillisMaps])

	twin := r.replayed()
	require.Equal(t, dump(r.m), dump(twin))
	r.step(Input{Kind: InTrackerLeave, Tracker: a})
	require.Zero(t, r.m.Cluster().Used)
	require.Zero(t, r.m.Cluster().Memory)
	require.Zero(t, r.m.Cluster().VCores)
}

// A tracker counts the slots that tasks of the other type borrow, so that policies know what they
// could take back. A wide task borrows all of its slots.
func TestLentSlots(t *testing.T) {
	r, _, register := withMemory(t)
	a := register("a", 4, 2)
	s := spec(1, 1)
	s.ReduceMemory, s.SlowStart = 2049, 0
	seq := r.submit(s)
	v := r.m.Tracker(a)
	require.True(t, r.m.Launch(mapAttempt(seq, 0, 0).Task, a, job.Map))
	require.Zero(t, v.Lent, "a map in a map slot")
	require.True(t, r.m.Launch(reduceAttempt(seq, 0, 0).Task, a, job.Map))
	require.Equal(t, [2]int32{3, 0}, v.Lent, "2,049 MiB need three map slots")
	r.beat(a, says(job.AttemptSucceeded, reduceAttempt(seq, 0, 0))...)
	require.Zero(t, v.Lent)
}

func TestContainers(t *testing.T) {
	r, _, register := withMemory(t)
	a := register("a", 1, 0)
	mute := r.register("mute", "h", "/r", 1, 1, 1)
	require.EqualValues(t, 4096, r.m.Cluster().Memory)
	require.EqualValues(t, 8, r.m.Cluster().VCores)
	s := spec(4, 2)
	s.MapMemory, s.SlowStart = 1536, 0
	seq := r.submit(s)
	require.False(t, r.m.Launch(mapAttempt(seq, 0, 0).Task, mute, job.Container), "it has not told its memory")
	require.True(t, r.m.Launch(mapAttempt(seq, 0, 0).Task, a, job.Container))
	require.True(t, r.m.Launch(mapAttempt(seq, 1, 0).Task, a, job.Container))
	require.False(t, r.m.Launch(mapAttempt(seq, 2, 0).Task, a, job.Container), "3072 of 4096 MiB are used")
	require.True(t, r.m.Launch(reduceAttempt(seq, 0, 0).Task, a, job.Container), "a job that does not say wants 1024")
	require.False(t, r.m.Launch(reduceAttempt(seq, 1, 0).Task, a, job.Container))
	v := r.m.Tracker(a)
	require.Zero(t, v.Used)
	require.EqualValues(t, 4096, v.UsedMemory)
	require.EqualValues(t, 3, v.UsedVCores)
	at := r.m.Attempt(mapAttempt(seq, 0, 0))
	require.Equal(t, job.Container, at.Slot)
	require.Zero(t, at.Width)
	require.Equal(t, dump(r.m), dump(r.replayed()))

	require.True(t, r.m.Kill(mapAttempt(seq, 1, 0), "x"))
	require.False(t, r.m.Launch(mapAttempt(seq, 2, 0).Task, a, job.Container), "until it is gone")
	r.beat(a, says(job.AttemptRunning, mapAttempt(seq, 0, 0), reduceAttempt(seq, 0, 0))...)
	require.EqualValues(t, 1536+1024, v.UsedMemory)
	require.True(t, r.m.Launch(mapAttempt(seq, 2, 0).Task, a, job.Container))
}

// roomy is a policy that uses containers.
type roomy struct{ lazy }

func (*roomy) UsesContainers() bool { return true }

func TestContainerPolicyIsAskedWhileThereIsMemory(t *testing.T) {
	r, _, register := withMemory(t)
	p := &roomy{}
	r.m.SetPolicy(p)
	a := register("a", 0, 0)
	s := spec(9, 0)
	s.MapMemory = 2048
	seq := r.submit(s)
	require.Equal(t, []int32{a}, r.wakes, "it has no slots, but memory")
	r.beat(a)
	require.Equal(t, 1, p.asked)
	for i := range int32(2) {
		require.True(t, r.m.Launch(mapAttempt(seq, i, 0).Task, a, job.Container))
	}
	r.beat(a)
	require.Equal(t, 1, p.asked, "all is used")
	r.m.SetPolicy(&lazy{})
	require.False(t, r.m.hasRoom(r.m.trackers.Get(a)))
}

func TestTooMuchMemory(t *testing.T) {
	r := newRig(t, func(c *Config) { c.MaxMemory = [2]int32{2000, 3000} })
	try := func(maps, reduces int32) *failure.Error {
		s := spec(1, 1)
		s.MapMemory, s.ReduceMemory = maps, reduces
		return r.step(Input{Kind: InSubmit, Spec: s}).Err
	}
	require.Nil(t, try(2000, 3000))
	require.Nil(t, try(0, -1))
	require.ErrorContains(t, try(2001, 1), "mapred.cluster.max.map.memory.mb=2000")
	require.ErrorContains(t, try(1, 3001), "mapred.cluster.max.reduce.memory.mb=3000")
	r.m.cfg.MaxMemory = [2]int32{}
	require.Nil(t, try(maxMemory, maxMemory))
	require.ErrorContains(t, try(maxMemory+1, 1), "want 16777216 or less")
	require.ErrorContains(t, try(1, maxMemory+1), "want 16777216 or less")
}

func TestWidthsInJournals(t *testing.T) {
	r, _, register := withMemory(t)
	a := register("a", 4, 4)
	seq := r.submit(spec(9, 0))
	start := event.Event{Type: event.AttemptStarted, Job: seq, Attempt: mapAttempt(seq, 0, 0), Tracker: a}
	for _, bad := range []event.Event{{N: -1}, {N: math.MaxInt32 + 1}, {N: 1, Slot: job.Container}, {Slot: 200}} {
		e := start
		e.N, e.Slot = bad.N, bad.Slot
		require.True(t, failure.Is(r.m.Apply(&e), failure.Corrupt), "%+v", bad)
	}
	start.N = 1
	require.NoError(t, r.m.Apply(&start))
	require.EqualValues(t, 1, r.m.Attempt(start.Attempt).Width)
	start.Attempt.Index, start.N = 1, math.MaxInt32
	require.NoError(t, r.m.Apply(&start), "the largest width")
}

func TestOtherLoad(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h", "/r", 1, 1, 1)
	for told, want := range map[int32]int32{-5: 0, 0: 0, 300_000: 300_000, 2_000_000: million} {
		r.report(&heartbeat.Report{Tracker: a, OtherLoad: told})
		require.Equal(t, want, r.m.Tracker(a).OtherLoad)
	}
}

// A restart preserves the order of the running attempts, even of attempts that started at the same
// time.
func TestRunningOrderSurvives(t *testing.T) {
	r, _ := lazyRig(t)
	a := r.register("a", "h1", "/r", 1, 9, 9)
	seq := r.submit(spec(5, 0))
	for _, i := range []int32{3, 1, 4} {
		require.True(t, r.m.Launch(mapAttempt(seq, i, 0).Task, a, job.Map))
	}
	r.now++
	r.step(Input{Kind: InTick})
	require.True(t, r.m.Launch(mapAttempt(seq, 0, 0).Task, a, job.Map))
	order := func(m *Machine) (got []int32) {
		for _, x := range m.Running(seq, job.Map, nil) {
			got = append(got, x.ID.Index)
		}
		return got
	}
	require.Equal(t, []int32{1, 3, 4, 0}, order(r.m))
	require.Equal(t, order(r.m), order(r.replayed()))
	var first *scheduler.Attempt
	for range 4 {
		first = r.m.Running(seq, job.Map, nil)[0]
		require.True(t, r.m.Kill(first.ID, "x"))
	}
	require.Empty(t, order(r.m))
}
