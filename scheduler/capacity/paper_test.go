package capacity

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
)

// A bench drives a machine with the scheduler.
type bench struct {
	t    *testing.T
	p    *Policy
	m    *jobtracker.Machine
	now  int64
	name byte
	seq  uint64
}

func newBench(t *testing.T, s scheduler.Setup) *bench {
	p := build(t, s)
	cfg := jobtracker.DefaultConfig()
	cfg.SlotMemory = [2]int32{1024, 1024}
	m, err := jobtracker.New(cfg, p)
	require.NoError(t, err)
	m.Recovered(1, nil)
	return &bench{t: t, p: p, m: m, now: 1, name: 'a'}
}

func (b *bench) try(in jobtracker.Input) jobtracker.Output {
	b.now++
	in.Req, in.Now = 1, b.now
	for _, o := range b.m.Step(&in, nil) {
		if o.Kind == jobtracker.OutReply {
			return o
		}
	}
	b.t.Fatal("no reply")
	return jobtracker.Output{}
}

func (b *bench) step(in jobtracker.Input) jobtracker.Output {
	o := b.try(in)
	require.Nil(b.t, o.Err)
	return o
}

func (b *bench) tracker(maps, reduces int32) int32 {
	name := string(rune(b.name))
	b.name++
	return b.step(jobtracker.Input{Kind: jobtracker.InRegister, Register: &jobtracker.Register{Name: name, Host: name,
		Rack: "/" + name, Incarnation: 1, Slots: [2]int32{maps, reduces}}}).Tracker
}

func spec(queue, user string, maps int, change ...func(*job.Spec)) *job.Spec {
	s := &job.Spec{Queue: queue, User: user, MapAttempts: 4, ReduceAttempts: 4, Splits: make([]job.SplitMeta, maps)}
	for _, f := range change {
		f(s)
	}
	return s
}

func (b *bench) submit(queue, user string, maps int, change ...func(*job.Spec)) int32 {
	return b.step(jobtracker.Input{Kind: jobtracker.InSubmit, Spec: spec(queue, user, maps, change...)}).Job
}

// beat sends a heartbeat of a tracker. For each time that done lists a job, the oldest running map of
// the job on that tracker has succeeded.
func (b *bench) beat(tracker int32, done ...int32) {
	b.seq++
	r := &heartbeat.Report{Tracker: tracker, Incarnation: 1, Seq: b.seq, Slots: b.m.Tracker(tracker).Slots}
	left := map[int32]int{}
	for _, seq := range done {
		left[seq]++
	}
	for _, seq := range b.m.AllJobs() {
		for k := range job.TaskType(2) {
			for _, a := range b.m.Running(seq, k, nil) {
				if a.Tracker != tracker {
					continue
				}
				s := job.AttemptRunning
				if k == job.Map && left[seq] > 0 {
					left[seq]--
					s = job.AttemptSucceeded
				}
				r.Attempts = append(r.Attempts, heartbeat.AttemptReport{Attempt: a.ID, State: s})
			}
		}
	}
	b.step(jobtracker.Input{Kind: jobtracker.InBeat, Report: r})
}

func (b *bench) maps(seqs ...int32) (n []int32) {
	for _, seq := range seqs {
		n = append(n, b.m.Job(seq).Running[job.Map])
	}
	return n
}

func wide(s *job.Spec) { s.MapMemory = 2048 }

// Queues get their capacities when all of them have enough demand
// (TestCapacityScheduler.testCapacityAllocToQueue…).
func TestCapacities(t *testing.T) {
	b := newBench(t, setup("a,b", queuePrefix+"a.capacity", "70", queuePrefix+"b.capacity", "30"))
	x, y := b.submit("a", "u", 50), b.submit("b", "v", 50)
	b.beat(b.tracker(10, 0))
	require.Equal(t, []int32{7, 3}, b.maps(x, y))
}

// Other queues can use a queue's free capacity if their user limit permits it (user-limit-factor).
func TestFreeCapacityIsLent(t *testing.T) {
	for factor, want := range map[string]int32{"1": 7, "10": 10, "0.5": 3} {
		b := newBench(t, setup("a,b", queuePrefix+"a.capacity", "70", queuePrefix+"b.capacity", "30",
			queuePrefix+"a.user-limit-factor", factor))
		x := b.submit("a", "u", 50)
		b.beat(b.tracker(10, 0))
		require.Equal(t, []int32{want}, b.maps(x), factor)
	}
}

func TestMaximumCapacity(t *testing.T) {
	b := newBench(t, setup("a,b", queuePrefix+"a.capacity", "30", queuePrefix+"b.capacity", "70",
		queuePrefix+"a.user-limit-factor", "10", queuePrefix+"a.maximum-capacity", "50"))
	x := b.submit("a", "u", 50)
	b.beat(b.tracker(10, 0))
	require.Equal(t, []int32{5}, b.maps(x))
}

// When slots become free, the queue that uses the smallest fraction of its capacity comes first.
func TestOwnerComesBack(t *testing.T) {
	b := newBench(t, setup("a,b", queuePrefix+"a.capacity", "50", queuePrefix+"b.capacity", "50",
		queuePrefix+"a.user-limit-factor", "2"))
	x := b.submit("a", "u", 50)
	tt := b.tracker(10, 0)
	b.beat(tt)
	require.Equal(t, []int32{10}, b.maps(x))
	y := b.submit("b", "v", 50)
	b.beat(tt, x, x, x, x)
	require.Equal(t, []int32{6, 4}, b.maps(x, y))
	b.beat(tt, x, x)
	require.Equal(t, []int32{5, 5}, b.maps(x, y))
}

// Users share a queue equally, down to the minimum percentage (testUserLimits…).
func TestUserLimits(t *testing.T) {
	b := newBench(t, setup("default", queuePrefix+"default.minimum-user-limit-percent", "25"))
	tt := b.tracker(12, 0)
	var jobs []int32
	for _, x := range []struct {
		user string
		want []int32
	}{{"u1", []int32{6, 6}}, {"u2", nil}, {"u3", nil}, {"u4", nil}, {"u5", nil}, {"u6", nil}} {
		jobs = append(jobs, b.submit("default", x.user, 50))
	}
	b.beat(tt)
	require.Equal(t, []int32{3, 3, 3, 3, 0, 0}, b.maps(jobs...), "a quarter each; the others wait")
}

func TestTwoUsersShare(t *testing.T) {
	b := newBench(t, setup("default", queuePrefix+"default.minimum-user-limit-percent", "25"))
	x, y, z := b.submit("default", "u1", 50), b.submit("default", "u1", 50), b.submit("default", "u2", 50)
	b.beat(b.tracker(12, 0))
	require.Equal(t, []int32{6, 0, 6}, b.maps(x, y, z))
}

// A queue's users share only a resource that their jobs use or wait for.
func TestUsersWhoNeedNothingDoNotShare(t *testing.T) {
	b := newBench(t, setup("default", queuePrefix+"default.minimum-user-limit-percent", "25"))
	tt := b.tracker(12, 0)
	b.submit("default", "reduces", 0, func(s *job.Spec) { s.Reduces = 9 })
	few := b.submit("default", "few", 2)
	b.beat(tt)
	require.Equal(t, []int32{2}, b.maps(few))
	many := b.submit("default", "many", 50)
	b.beat(tt)
	require.Equal(t, []int32{2, 6}, b.maps(few, many), "a user whose maps all run still has half")
	b.step(jobtracker.Input{Kind: jobtracker.InKillJob, Job: few})
	b.beat(tt)
	b.beat(tt)
	require.Equal(t, []int32{12}, b.maps(many), "alone")
}

// Slots go to the queue that uses the smallest fraction of its capacity. A queue without capacity
// comes last.
func TestFractionsDecide(t *testing.T) {
	for _, x := range []struct {
		a, b string
		want []int32
	}{{"75", "25", []int32{9, 3}}, {"25", "75", []int32{3, 9}}, {"0", "100", []int32{0, 12}}} {
		b := newBench(t, setup("a,b", queuePrefix+"a.capacity", x.a, queuePrefix+"b.capacity", x.b,
			queuePrefix+"a.user-limit-factor", "10", queuePrefix+"b.user-limit-factor", "10"))
		y, z := b.submit("a", "u", 50), b.submit("b", "v", 50)
		b.beat(b.tracker(12, 0))
		require.Equal(t, x.want, b.maps(y, z), "%+v", x)
	}
}

// The hard limit counts all slots of a wide task. If the limit is less than one task needs, the
// queue can still run one.
func TestMaximumCapacityOfWideTasks(t *testing.T) {
	for maximum, want := range map[string]int32{"50": 2, "60": 3, "5": 1} {
		b := newBench(t, setup("a,b", queuePrefix+"a.capacity", "5", queuePrefix+"b.capacity", "95",
			queuePrefix+"a.user-limit-factor", "100", queuePrefix+"a.maximum-capacity", maximum))
		x := b.submit("a", "u", 50, wide)
		b.beat(b.tracker(10, 0))
		require.Equal(t, []int32{want}, b.maps(x), maximum)
	}
}

func TestPriorities(t *testing.T) {
	for supported, want := range map[string][]int32{"true": {0, 4}, "false": {4, 0}} {
		b := newBench(t, setup("default", queuePrefix+"default.supports-priority", supported))
		x, y := b.submit("default", "u", 9), b.submit("default", "u", 9, func(s *job.Spec) { s.Priority = job.High })
		b.beat(b.tracker(4, 0))
		require.Equal(t, want, b.maps(x, y), supported)
	}
}

func TestChangedPriority(t *testing.T) {
	for _, x := range []struct {
		supported, active string
		want              []int32
	}{{"true", "9", []int32{0, 4}}, {"false", "9", []int32{4, 0}}, {"true", "1", []int32{4, 0}}} {
		b := newBench(t, setup("default", prioritiesKey, x.supported, systemJobsKey, x.active))
		y, z := b.submit("default", "u", 9), b.submit("default", "u", 9)
		b.step(jobtracker.Input{Kind: jobtracker.InSetPriority, Job: z, Priority: job.VeryHigh})
		b.beat(b.tracker(4, 0))
		require.Equal(t, x.want, b.maps(y, z), "%+v: a job that is not active waits in any case", x)
	}
}

// The scheduler reserves a tracker for a job with large tasks until enough slots are free
// (testHighMemoryBlocking…).
func TestReservation(t *testing.T) {
	b := newBench(t, setup("a,b", queuePrefix+"a.user-limit-factor", "2"))
	tt := b.tracker(2, 0)
	small := b.submit("a", "u1", 20)
	b.beat(tt)
	require.Equal(t, []int32{2}, b.maps(small))
	large := b.submit("b", "u2", 1, wide)
	other := b.submit("b", "u3", 20)
	b.beat(tt, small)
	require.Equal(t, []int32{1, 0, 0}, b.maps(small, large, other), "the free slot is held, small tasks do not get it")
	require.Len(t, b.p.held, 1)
	for range 2 {
		require.EqualValues(t, 1, b.p.byName["b"].used[0], "what is held is used")
		b.beat(tt)
	}
	b.beat(tt, small)
	require.Equal(t, []int32{0, 1, 0}, b.maps(small, large, other))
	require.Empty(t, b.p.held)
	require.EqualValues(t, 2, b.p.byName["b"].used[0])
}

// A job reserves at most as many trackers as it has large tasks, and no tracker that is too small.
func TestReservationsAreBounded(t *testing.T) {
	b := newBench(t, setup("a,b", queuePrefix+"a.user-limit-factor", "2", queuePrefix+"b.user-limit-factor", "2"))
	x, y, tiny := b.tracker(2, 0), b.tracker(2, 0), b.tracker(1, 0)
	small := b.submit("a", "u1", 20)
	for _, h := range []int32{x, y, tiny} {
		b.beat(h)
	}
	b.submit("b", "u2", 1, wide)
	b.beat(tiny, small)
	b.beat(x, small)
	b.beat(y, small)
	require.Len(t, b.p.held, 1)
	require.Equal(t, x, b.p.held[0].tracker)
	b.step(jobtracker.Input{Kind: jobtracker.InTrackerLeave, Tracker: x})
	require.Empty(t, b.p.held, "the tracker is gone")
	b.beat(y, small)
	require.Len(t, b.p.held, 1)
	b.p.releaseStale(b.p.held[0].at + stale)
	require.Len(t, b.p.held, 1)
	b.now += stale + 10_000
	b.beat(tiny, small)
	require.Empty(t, b.p.held, "the tracker has not been heard of for long")
}

// A task that starts on a reserved tracker counts toward the limit of tasks per heartbeat.
func TestReservationAndTasksPerBeat(t *testing.T) {
	b := newBench(t, setup("a,b", queuePrefix+"a.user-limit-factor", "3", queuePrefix+"b.user-limit-factor", "2",
		perBeatKey, "1"))
	tt := b.tracker(3, 0)
	small := b.submit("a", "u1", 20)
	for range 3 {
		b.beat(tt)
	}
	large, other := b.submit("b", "u2", 1, wide), b.submit("b", "u3", 20)
	b.beat(tt, small)
	require.Len(t, b.p.held, 1)
	b.beat(tt, small, small)
	require.Equal(t, []int32{0, 1, 0}, b.maps(small, large, other))
}

// A job's account is the sum of its running tasks and its reservations, however these change.
func TestReservationBesideARunningTask(t *testing.T) {
	b := newBench(t, setup("a,b", queuePrefix+"a.user-limit-factor", "2", queuePrefix+"b.user-limit-factor", "2"))
	x, y := b.tracker(2, 0), b.tracker(2, 0)
	small := b.submit("a", "u1", 20)
	b.beat(x)
	b.beat(y)
	large := b.submit("b", "u2", 3, wide)
	for _, want := range []int64{1, 2} {
		b.beat([]int32{x, y}[want-1], small)
		require.Equal(t, want, b.p.byName["b"].used[0])
	}
	b.beat(x, small)
	require.Equal(t, []int32{1}, b.maps(large))
	for range 2 {
		require.EqualValues(t, 2+1, b.p.byName["b"].used[0])
		b.beat(y)
	}
	b.beat(y, small)
	require.EqualValues(t, 2+2, b.p.byName["b"].used[0])
}

// A reservation ends if the job's own limit permits no more running tasks.
func TestReservationOfALimitedJob(t *testing.T) {
	b := newBench(t, setup("a,b", queuePrefix+"a.user-limit-factor", "2", queuePrefix+"b.user-limit-factor", "2"))
	x, y := b.tracker(2, 0), b.tracker(2, 0)
	small := b.submit("a", "u1", 20)
	b.beat(x)
	b.beat(y)
	large := b.submit("b", "u2", 2, wide, func(s *job.Spec) { s.MapLimit = 1 })
	b.beat(x, small)
	b.beat(y, small)
	require.Len(t, b.p.held, 2)
	b.beat(x, small)
	require.Equal(t, []int32{1, 1}, b.maps(small, large))
	b.beat(y, small)
	require.Equal(t, []int32{2, 1}, b.maps(small, large), "the tracker is free for other jobs")
	require.Empty(t, b.p.held)
}

// containers runs a policy for memory, as package ngm does.
type containers struct{ *Policy }

func (containers) UsesContainers() bool { return true }

// With memory, a job's reduces come before its maps if the function permits them. A reservation
// for a map does not serve a reduce that is too large for the tracker or not permitted.
func TestMemory(t *testing.T) {
	for _, x := range []struct {
		reduce  int32 // MiB of a reduce of the large job
		permits bool
		want    [2]int32 // running tasks of the large job
	}{{3000, true, [2]int32{1, 0}}, {2000, false, [2]int32{1, 0}}, {2000, true, [2]int32{0, 1}}} {
		permits := false
		s := setup("a,b", queuePrefix+"a.user-limit-factor", "2", queuePrefix+"b.user-limit-factor", "2")
		s.Conf.Set(multipleKey, "false", "test")
		p, err := NewMemory(s, func(scheduler.View, *scheduler.Job) bool { return permits })
		require.NoError(t, err)
		m, err := jobtracker.New(jobtracker.DefaultConfig(), containers{p})
		require.NoError(t, err)
		m.Recovered(1, nil)
		b := &bench{t: t, p: p, m: m, now: 1, name: 'a'}
		tt := b.step(jobtracker.Input{Kind: jobtracker.InRegister, Register: &jobtracker.Register{Name: "a", Host: "a",
			Rack: "/a", Incarnation: 1, Memory: 2500}}).Tracker
		small := b.submit("a", "u1", 1, func(s *job.Spec) { s.MapMemory, s.ReduceMemory, s.Reduces = 600, 600, 2 })
		permits = true
		b.beat(tt)
		require.Equal(t, [2]int32{1, 2}, b.m.Job(small).Running, "one heartbeat fills the memory")
		permits = x.permits
		large := b.submit("b", "u2", 1, func(s *job.Spec) { s.MapMemory, s.ReduceMemory, s.Reduces = 2000, x.reduce, 1 })
		b.beat(tt, small)
		require.Len(t, p.held, 1, "1300 MiB are free")
		require.True(t, p.Groups(b.m, nil)[0].Memory)
		b.step(jobtracker.Input{Kind: jobtracker.InKillJob, Job: small})
		b.beat(tt)
		b.beat(tt)
		require.Equal(t, x.want, b.m.Job(large).Running, "%+v", x)
	}
	_, err := NewMemory(setup(","), nil)
	require.Error(t, err)
}

// A job with a large map and a large reduce reserves slots of both kinds.
func TestReservationOfBothKinds(t *testing.T) {
	b := newBench(t, setup("a,b", queuePrefix+"a.user-limit-factor", "2"))
	tt := b.tracker(2, 2)
	reduce := func(s *job.Spec) { s.Reduces = 1 }
	small := b.submit("a", "u1", 1, reduce)
	b.submit("a", "u1", 1, reduce)
	b.beat(tt)
	require.Equal(t, [2]int32{2, 2}, b.m.Tracker(tt).Used)
	b.submit("b", "u2", 1, wide, func(s *job.Spec) { s.Reduces, s.ReduceMemory = 1, 2048 })
	b.step(jobtracker.Input{Kind: jobtracker.InKillJob, Job: small})
	b.beat(tt)
	require.Len(t, b.p.held, 2)
}

// A heartbeat assigns at most one off-switch map. Before that, the job must have missed as many
// offers as the cluster has trackers, or as the job has maps if that is less.
func TestLocality(t *testing.T) {
	s := setup("default")
	b := newBench(t, s)
	near, far := b.tracker(4, 0), b.tracker(4, 0)
	x := b.submit("default", "u", 6, func(s *job.Spec) {
		for i := range s.Splits {
			s.Splits[i].Hosts = []string{"a"}
		}
	})
	b.beat(far)
	require.Equal(t, []int32{0}, b.maps(x), "it waits for its input")
	b.beat(far)
	b.beat(far)
	require.Equal(t, []int32{1}, b.maps(x), "two chances passed; one a beat")
	b.beat(near)
	require.Equal(t, []int32{5}, b.maps(x))
	b.beat(far)
	require.Equal(t, []int32{5}, b.maps(x), "it waits again")
	b.p.jobs.Get(x).missed = math.MaxInt32
	b.beat(far)
	require.EqualValues(t, math.MaxInt32, b.p.jobs.Get(x).missed, "a long wait is not lost")
}

// A job with fewer unfinished maps than the cluster has trackers misses only that many offers.
func TestShortWaitForTheLastMaps(t *testing.T) {
	b := newBench(t, setup("default"))
	near, far := b.tracker(1, 0), b.tracker(1, 0)
	b.tracker(0, 0)
	b.tracker(0, 0)
	x := b.submit("default", "u", 2, func(s *job.Spec) {
		s.Splits[0].Hosts, s.Splits[1].Hosts = []string{"a"}, []string{"elsewhere"}
	})
	b.beat(near)
	b.beat(near, x)
	require.Equal(t, []int32{0}, b.maps(x))
	b.beat(far)
	require.Equal(t, []int32{1}, b.maps(x), "one map is left, so one missed offer is enough")
}

// After an off-switch map, a heartbeat starts only as many more tasks as the setting permits, and no
// second off-switch map.
func TestTasksAfterOffSwitch(t *testing.T) {
	for after, want := range map[string][]int32{"0": {1, 0}, "1": {1, 1}, "2": {1, 2}} {
		b := newBench(t, setup("default", afterKey, after))
		b.tracker(0, 0)
		far := b.tracker(9, 0)
		x := b.submit("default", "u", 6, func(s *job.Spec) {
			s.Conf = []job.Property{{Name: waitFactorKey, Value: "0"}}
			for i := range s.Splits {
				s.Splits[i].Hosts = []string{"a"}
			}
		})
		y := b.submit("default", "u", 6)
		b.beat(far)
		require.Equal(t, want, b.maps(x, y), after)
	}
}

func TestWaitFactor(t *testing.T) {
	b := newBench(t, setup("default", afterKey, "5"))
	b.tracker(0, 0)
	far := b.tracker(4, 0)
	x := b.submit("default", "u", 6, func(s *job.Spec) {
		s.Conf = []job.Property{{Name: waitFactorKey, Value: "0"}}
		for i := range s.Splits {
			s.Splits[i].Hosts = []string{"a"}
		}
	})
	b.beat(far)
	require.Equal(t, []int32{1}, b.maps(x), "at once, but one far map a beat")
}

func TestTasksPerBeat(t *testing.T) {
	b := newBench(t, setup("default", perBeatKey, "2"))
	x := b.submit("default", "u", 6)
	tt := b.tracker(4, 0)
	b.beat(tt)
	require.Equal(t, []int32{2}, b.maps(x))
	b.beat(tt)
	require.Equal(t, []int32{4}, b.maps(x))
}

func TestReducesOneAtATime(t *testing.T) {
	for multiple, want := range map[string]int32{"true": 3, "false": 1} {
		s := setup("default")
		s.Conf.Set(multipleKey, multiple, "test")
		b := newBench(t, s)
		x := b.submit("default", "u", 1, func(s *job.Spec) { s.Reduces = 3 })
		b.beat(b.tracker(1, 4))
		require.Equal(t, want, b.m.Job(x).Running[job.Reduce], multiple)
	}
}

// Each queue has a limited number of active jobs. The other jobs wait.
func TestActiveJobs(t *testing.T) {
	b := newBench(t, setup("default", systemJobsKey, "2"))
	x, y, z := b.submit("default", "u", 1), b.submit("default", "u", 1), b.submit("default", "u", 1)
	tt := b.tracker(9, 0)
	b.beat(tt)
	require.Equal(t, []int32{1, 1, 0}, b.maps(x, y, z))
	b.beat(tt, x)
	b.step(jobtracker.Input{Kind: jobtracker.InCommitDone, Job: x})
	b.beat(tt)
	require.Equal(t, []int32{1, 1}, b.maps(y, z))
}

// A limit applies to the tasks of one user's active jobs. A job that alone exceeds it runs when no
// other job of the user is active.
func TestActiveTasks(t *testing.T) {
	b := newBench(t, setup("default", activePerUserKey, "5"))
	x, y, z := b.submit("default", "u", 3), b.submit("default", "u", 3), b.submit("default", "v", 3)
	tt := b.tracker(9, 0)
	b.beat(tt)
	require.Equal(t, []int32{3, 0, 3}, b.maps(x, y, z))
	two := b.submit("default", "v", 1, func(s *job.Spec) { s.Reduces = 2 })
	one := b.submit("default", "v", 1, func(s *job.Spec) { s.Reduces = 1 })
	b.beat(tt)
	require.Equal(t, []int32{0, 1}, b.maps(two, one), "three tasks and two make five")
	b.step(jobtracker.Input{Kind: jobtracker.InKillJob, Job: two})
	b.step(jobtracker.Input{Kind: jobtracker.InKillJob, Job: one})
	b.step(jobtracker.Input{Kind: jobtracker.InSetPolicy, Policy: build(t, setup("default", activePerUserKey, "2"))})
	b.step(jobtracker.Input{Kind: jobtracker.InKillJob, Job: x})
	b.beat(tt)
	require.Equal(t, []int32{3, 3}, b.maps(y, z))
}

// The number of a user's active jobs is limited, too.
func TestActiveJobsOfAUser(t *testing.T) {
	b := newBench(t, setup("default", systemJobsKey, "4", queuePrefix+"default.minimum-user-limit-percent", "50"))
	x, y, z := b.submit("default", "u", 1), b.submit("default", "u", 1), b.submit("default", "u", 1)
	other := b.submit("default", "v", 1)
	b.beat(b.tracker(9, 0))
	require.Equal(t, []int32{1, 1, 0, 1}, b.maps(x, y, z, other))
}

// After a restart, jobs whose tasks have run are active first, whatever their order. With a new
// policy, all active jobs stay active.
func TestActiveJobsAfterARestart(t *testing.T) {
	two := setup("default", systemJobsKey, "1", prioritiesKey, "true")
	for _, x := range []struct {
		name          string
		began, policy bool
		want          []int32
	}{
		{"restart", true, false, []int32{1, 0}}, {"restart before the first task", false, false, []int32{0, 1}},
		{"new policy", true, true, []int32{1, 0}}, {"new policy before the first task", false, true, []int32{1, 0}},
	} {
		b := newBench(t, two)
		tt := b.tracker(1, 0)
		old := b.submit("default", "u", 9)
		if x.began {
			b.beat(tt)
			b.beat(tt, old)
		}
		high := b.submit("default", "u", 9, func(s *job.Spec) { s.Priority = job.High })
		if x.policy {
			b.step(jobtracker.Input{Kind: jobtracker.InSetPolicy, Policy: build(t, two)})
		} else {
			b.p.Reset(b.m)
		}
		b.beat(tt, old)
		require.Equal(t, x.want, b.maps(old, high), x.name)
	}
}

// A new policy takes over only reservations for running jobs on trackers that still exist, and only
// from a policy that counts the same resource.
func TestInheritedReservations(t *testing.T) {
	two := setup("a,b", queuePrefix+"a.user-limit-factor", "2", queuePrefix+"b.user-limit-factor", "2")
	b := newBench(t, two)
	x, y := b.tracker(2, 0), b.tracker(2, 0)
	small := b.submit("a", "u1", 20)
	b.beat(x)
	b.beat(y)
	large := b.submit("b", "u2", 2, wide)
	b.beat(x, small)
	b.beat(y, small)
	require.Len(t, b.p.held, 2)
	take := func() *Policy {
		p := build(t, two)
		p.Reset(b.m)
		p.Inherit(b.m, b.p)
		return p
	}
	require.Len(t, take().held, 2)
	memory, err := NewMemory(two, nil)
	require.NoError(t, err)
	memory.Reset(b.m)
	memory.Inherit(b.m, b.p)
	require.Empty(t, memory.held)
	b.step(jobtracker.Input{Kind: jobtracker.InSetPolicy, Policy: build(t, two)}) // b.p learns no more
	b.step(jobtracker.Input{Kind: jobtracker.InTrackerLeave, Tracker: x})
	require.Len(t, take().held, 1)
	b.step(jobtracker.Input{Kind: jobtracker.InKillJob, Job: large})
	require.Empty(t, take().held)
}

// A limit applies to the tasks of all active jobs of a queue, and jobs that end make room.
func TestActiveTasksOfAQueue(t *testing.T) {
	b := newBench(t, setup("default", activeTasksKey, "5"))
	x, y, z := b.submit("default", "u", 3), b.submit("default", "v", 3), b.submit("default", "w", 2)
	tt := b.tracker(9, 0)
	b.beat(tt)
	require.Equal(t, []int32{3, 0, 2}, b.maps(x, y, z))
	b.step(jobtracker.Input{Kind: jobtracker.InKillJob, Job: x})
	b.beat(tt)
	require.Equal(t, []int32{3, 2}, b.maps(y, z))
}

func TestJobsOfAGoneQueue(t *testing.T) {
	b := newBench(t, setup("default,b", queuePrefix+"default.capacity", "50", queuePrefix+"b.capacity", "50"))
	x := b.submit("b", "u", 9)
	b.step(jobtracker.Input{Kind: jobtracker.InSetPolicy, Policy: build(t, setup("default"))})
	b.beat(b.tracker(4, 0))
	require.Equal(t, []int32{4}, b.maps(x))
	require.Equal(t, "default", b.m.Policy().(*Policy).GroupOf(b.m, x))
	require.Empty(t, b.m.Policy().(*Policy).GroupOf(b.m, x+1), "there is no such job")
}

func TestGroups(t *testing.T) {
	b := newBench(t, setup("a,b", queuePrefix+"a.capacity", "75", queuePrefix+"b.maximum-capacity", "50"))
	b.submit("a", "u", 9)
	b.beat(b.tracker(8, 4))
	g := b.p.Groups(b.m, nil)
	require.Equal(t, []scheduler.Group{
		{Name: "a", Jobs: 1, Weight: 75, Min: [2]int32{6, 3}, Max: [2]int32{-1, -1}, Fair: [2]int32{6, 3},
			Demand: [2]int32{9, 0}, Running: [2]int32{6, 0}},
		{Name: "b", Weight: 25, Min: [2]int32{2, 1}, Max: [2]int32{4, 2}, Fair: [2]int32{2, 1}},
	}, g)
}
