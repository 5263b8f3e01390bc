package jobtracker

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
)

func (r *rig) tryRegister(name, host string, inc int64) Output {
	return r.step(Input{Kind: InRegister, Register: &Register{Name: name, Host: host, Incarnation: inc, Addr: "a",
		Slots: [2]int32{1, 1}, Memory: 512, VCores: 3}})
}

func TestRegister(t *testing.T) {
	r := newRig(t, func(c *Config) { c.MaxTrackers = 2 })
	first := r.tryRegister("tt", "h", 5).Tracker
	info, _ := r.m.TrackerInfo(first)
	require.EqualValues(t, 512, info.Memory)
	require.EqualValues(t, 3, info.VCores)
	require.Equal(t, first, r.tryRegister("tt", "h", 5).Tracker, "the same incarnation is the same tracker")
	require.Equal(t, 0, r.count(event.TrackerChanged))
	require.Equal(t, failure.Stale, r.tryRegister("tt", "h", 4).Err.Kind)
	second := r.tryRegister("tt", "h", 6).Tracker
	require.NotEqual(t, first, second)
	require.Equal(t, 1, r.count(event.TrackerLost))
	require.Equal(t, []int32{second}, r.m.Trackers())
	for _, bad := range []*Register{nil, {Host: "h"}, {Name: "n"}} {
		require.Equal(t, failure.Usage, r.step(Input{Kind: InRegister, Register: bad}).Err.Kind)
	}
	r.tryRegister("tt2", "h", 1)
	o := r.tryRegister("tt3", "h", 1)
	require.Equal(t, failure.Limit, o.Err.Kind)
	require.Contains(t, o.Err.Error(), "howdah.jobtracker.trackers.maximum")
}

func TestRegisterAgainChangesAddressAndSlots(t *testing.T) {
	r := newRig(t)
	tt := r.register("tt", "h", "/r", 1, 2, 2)
	r.now += 1000
	o := r.step(Input{Kind: InRegister, Register: &Register{Name: "tt", Host: "h", Incarnation: 1, Addr: "new:1",
		Slots: [2]int32{5, -1}}})
	require.Equal(t, tt, o.Tracker)
	info, _ := r.m.TrackerInfo(tt)
	require.Equal(t, "new:1", info.Addr)
	require.Equal(t, [2]int32{5, 0}, info.Slots)
	require.Equal(t, r.now, info.LastBeat)
	require.Equal(t, [2]int32{5, 0}, r.m.Cluster().Slots)
}

func TestMoreSlotsWakeForWaitingTasks(t *testing.T) {
	r := newRig(t)
	tt := r.register("tt", "h", "/r", 1, 1, 1)
	r.submit(spec(2, 0))
	require.Len(t, r.beat(tt).Run, 1)
	r.register("tt", "h", "/r", 1, 1, 1)
	require.Empty(t, r.wakes)
	r.register("tt", "h", "/r", 1, 2, 1)
	require.Equal(t, []int32{tt}, r.wakes)
}

// A tracker that registers again with as many slots as before has no more room than before, so the
// machine wakes nobody.
func TestNewAddressWakesNobody(t *testing.T) {
	r, _ := lazyRig(t)
	tt := r.register("tt", "h", "/r", 1, 1, 1)
	r.submit(spec(1, 0))
	r.beat(tt)
	again := func(slots ...int32) {
		o := r.step(Input{Kind: InRegister, Register: &Register{Name: "tt", Host: "h", Incarnation: 1, Addr: "new:1",
			Slots: [2]int32(slots)}})
		require.Equal(t, tt, o.Tracker)
	}
	again(1, 1)
	require.Equal(t, 1, r.count(event.TrackerChanged))
	require.Empty(t, r.wakes)
	again(1, 2)
	require.Equal(t, []int32{tt}, r.wakes, "a reduce slot more")
}

func TestSilentTrackerIsLost(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	r.now += 1000
	b := r.register("b", "h2", "/r", 1, 1, 1)
	at := r.now - 1000 + r.m.cfg.Expiry
	require.Equal(t, at, r.m.NextDeadline())
	r.now = at - 1
	r.step(Input{Kind: InTick})
	require.Len(t, r.m.Trackers(), 2)
	r.now = at
	r.step(Input{Kind: InTick})
	require.Equal(t, []int32{b}, r.m.Trackers())
	require.True(t, r.beat(a).Register, "a zombie has to register again")
	require.Equal(t, failure.Stale, r.tryRegister("a", "h1", 1).Err.Kind)
	require.Nil(t, r.tryRegister("a", "h1", 2).Err)
}

func TestBeatsKeepATrackerAlive(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	b := r.register("b", "h2", "/r", 1, 1, 1)
	for range 5 {
		r.now += r.m.cfg.Expiry / 2
		r.beat(a)
		r.beat(b)
		r.step(Input{Kind: InTick})
	}
	require.Len(t, r.m.Trackers(), 2)
	r.now += r.m.cfg.Expiry / 2
	r.beat(a)
	require.Equal(t, r.now+r.m.cfg.Expiry/2, r.m.NextDeadline(), "now b is next")
}

// A JobTracker that was suspended for longer than the expiry time loses no trackers when it
// resumes.
func TestGrace(t *testing.T) {
	r := newRig(t)
	tt := r.register("a", "h1", "/r", 1, 1, 1)
	seq := r.submit(spec(1, 0))
	r.beat(tt)
	gone := r.submit(spec(1, 0))
	r.m.Kill(mapAttempt(seq, 0, 0), "x")
	r.step(Input{Kind: InKillJob, Job: gone})
	r.now += 2 * r.m.cfg.Expiry
	r.step(Input{Kind: InGrace, Millis: 2 * r.m.cfg.Expiry})
	r.step(Input{Kind: InTick})
	require.Equal(t, []int32{tt}, r.m.Trackers())
	r.step(Input{Kind: InGrace, Millis: -5})
	r.now += r.m.cfg.Expiry
	r.step(Input{Kind: InTick})
	require.Empty(t, r.m.Trackers())
}

func TestGraceCoversLaunchesAndEnds(t *testing.T) {
	r := newRig(t)
	tt := r.register("a", "h1", "/r", 1, 2, 1)
	seq := r.submit(spec(1, 0))
	r.beat(tt)
	dying := r.submit(spec(1, 0))
	r.beat(tt)
	r.step(Input{Kind: InKillJob, Job: dying})
	pause := 3 * r.m.cfg.Expiry
	r.now += pause
	r.step(Input{Kind: InGrace, Millis: pause})
	r.step(Input{Kind: InTick})
	require.Empty(t, r.asks)
	require.Equal(t, []job.Attempt{mapAttempt(seq, 0, 0)}, r.run(tt))
}

// The running tasks of a lost tracker run again, as do its finished maps while a reduce needs their
// output. Finished reduces remain finished.
func TestLostTracker(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 4, 4)
	seq := r.submit(spec(2, 2))
	mapOnly := r.submit(spec(1, 0))
	r.beat(a)
	r.beat(a, append(says(job.AttemptSucceeded, mapAttempt(seq, 0, 0), mapAttempt(mapOnly, 0, 0)),
		says(job.AttemptRunning, mapAttempt(seq, 1, 0))...)...)
	r.beat(a, append(says(job.AttemptSucceeded, reduceAttempt(seq, 0, 0)), says(job.AttemptRunning, mapAttempt(seq, 1, 0),
		reduceAttempt(seq, 1, 0))...)...)
	require.Equal(t, [2]int32{1, 1}, r.m.Job(seq).Finished)
	b := r.register("b", "h2", "/r", 1, 4, 4)
	r.step(Input{Kind: InTrackerLeave, Tracker: a})
	require.Equal(t, [2]int32{0, 1}, r.m.Job(seq).Finished, "the map is lost, the reduce is not")
	require.Equal(t, [2]int32{1, 0}, r.m.Job(mapOnly).Finished)
	require.Equal(t, []int32{b}, r.wakes)
	require.Equal(t, []Completion{{Map: 0, Tracker: a}, {Map: 0, Tracker: a, Obsolete: true}}, r.m.Completions(seq))
	d := r.beat(b)
	require.ElementsMatch(t, []job.Attempt{mapAttempt(seq, 0, 1), mapAttempt(seq, 1, 1)}, d.Run,
		"reduces wait for the slow start again")
	d = r.beat(b, says(job.AttemptSucceeded, mapAttempt(seq, 0, 1), mapAttempt(seq, 1, 1))...)
	require.Equal(t, []job.Attempt{reduceAttempt(seq, 1, 1)}, d.Run)
	r.beat(b, says(job.AttemptSucceeded, d.Run...)...)
	require.Equal(t, job.Committing, r.state(seq))
	c := r.m.Counters(seq, false).Builtin
	require.EqualValues(t, 2, c[job.KilledMaps])
	require.EqualValues(t, 1, c[job.KilledReduces])
	require.Zero(t, c[job.FailedMaps])
}

// After all reduces are done, the job no longer needs its map outputs.
func TestMapsOfDoneReducesStay(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	b := r.register("b", "h2", "/r", 1, 1, 1)
	s := spec(1, 1)
	s.SlowStart = 0
	seq := r.submit(s)
	r.beat(a)
	require.Len(t, r.run(a), 2)
	r.beat(a, append(says(job.AttemptSucceeded, mapAttempt(seq, 0, 0)),
		says(job.AttemptSucceeded, reduceAttempt(seq, 0, 0))...)...)
	require.Equal(t, job.Committing, r.state(seq))
	r.step(Input{Kind: InTrackerLeave, Tracker: a})
	require.Equal(t, [2]int32{1, 1}, r.m.Job(seq).Finished)
	require.Zero(t, r.count(event.TaskReopened))
	_ = b
}

func TestLeaveOfAnUnknownTracker(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	require.Nil(t, r.step(Input{Kind: InTrackerLeave, Tracker: 77}).Err)
	r.step(Input{Kind: InTrackerLeave, Tracker: a})
	r.step(Input{Kind: InTrackerLeave, Tracker: a})
	require.Equal(t, 1, r.count(event.TrackerLost))
	require.Empty(t, r.m.handles, "nothing refers to it anymore")
}

func TestExcludedHosts(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	b := r.register("b", "h2", "/r", 1, 1, 1)
	r.step(Input{Kind: InHosts, Hosts: []string{"h1"}})
	require.Equal(t, []int32{b}, r.m.Trackers())
	require.True(t, r.beat(a).Register)
	o := r.tryRegister("a", "h1", 2)
	require.Equal(t, failure.Permission, o.Err.Kind)
	require.Contains(t, o.Err.Error(), "-refreshNodes")
	r.step(Input{Kind: InHosts})
	require.Nil(t, r.tryRegister("a", "h1", 2).Err)
}

func TestLostTrackersAreForgottenWithTheirJobs(t *testing.T) {
	r := newRig(t, func(c *Config) { c.CompletedPerUser = 0 })
	a := r.register("a", "h1", "/r", 1, 1, 1)
	seq := r.submit(spec(1, 0))
	r.beat(a)
	r.step(Input{Kind: InTrackerLeave, Tracker: a})
	info, ok := r.m.TrackerInfo(a)
	require.True(t, ok, "an attempt of a known job ran there")
	require.False(t, info.Live)
	require.Equal(t, "the tracker left", info.Lost)
	require.Equal(t, r.now, info.LostAt)
	require.Nil(t, r.m.Tracker(a), "policies do not see it")
	r.step(Input{Kind: InKillJob, Job: seq})
	r.step(Input{Kind: InAbortDone, Job: seq})
	_, ok = r.m.TrackerInfo(a)
	require.False(t, ok)
}

func TestHeartbeatIntervalGrowsWithTheCluster(t *testing.T) {
	r := newRig(t, func(c *Config) { c.HeartbeatsPerSecond = 1 })
	a := r.register("a", "h1", "/r", 1, 1, 1)
	require.EqualValues(t, 1000, r.beat(a).Interval)
	r.register("b", "h1", "/r", 1, 1, 1)
	require.EqualValues(t, 2000, r.beat(a).Interval)
	r.m.cfg.HeartbeatsPerSecond = 100
	require.EqualValues(t, 300, r.beat(a).Interval)
}

func TestSlotsOfATrackerMayChange(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 0)
	seq := r.submit(spec(4, 0))
	require.Len(t, r.beat(a).Run, 1)
	r.seq[a]++
	d := r.step(Input{Kind: InBeat, Report: &heartbeat.Report{Tracker: a, Incarnation: 1, Seq: r.seq[a],
		Slots: [2]int32{3, 0}, Attempts: says(job.AttemptRunning, mapAttempt(seq, 0, 0))}}).Desired
	require.Len(t, d.Run, 3)
	require.Equal(t, 1, r.count(event.TrackerChanged))
	r.seq[a]++
	d = r.step(Input{Kind: InBeat, Report: &heartbeat.Report{Tracker: a, Incarnation: 1, Seq: r.seq[a],
		Slots: [2]int32{1, maxSlots + 1}, Attempts: says(job.AttemptRunning, d.Run...)}}).Desired
	require.Len(t, d.Run, 3, "what runs goes on")
	require.Equal(t, [2]int32{1, maxSlots}, r.m.Tracker(a).Slots)
	require.Zero(t, r.m.Tracker(a).Free(job.Map))
}

// A job knows the trackers of its attempts and those it blames for failures. The machine keeps both
// as long as it keeps the job.
func TestBlamedTrackersStayKnown(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	r.submit(spec(1, 0))
	run := r.beat(a).Run[0]
	r.beat(a, failed(failure.User, "boom", run)...)
	r.step(Input{Kind: InTrackerLeave, Tracker: a})
	info, ok := r.m.TrackerInfo(a)
	require.True(t, ok)
	require.Equal(t, "the tracker left", info.Lost)
}

// A reduce that failed within the job's tolerance needs no map outputs, no more than one that
// succeeded.
func TestMapsOfFailedReducesStay(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 2)
	b := r.register("b", "h2", "/r", 1, 1, 0)
	s := spec(2, 2)
	s.SlowStart, s.ReduceAttempts, s.ReduceFailuresPercent = 0, 1, 50
	seq := r.submit(s)
	r.beat(a)
	r.beat(b)
	reduces := []job.Attempt{reduceAttempt(seq, 0, 0), reduceAttempt(seq, 1, 0)}
	require.Equal(t, append([]job.Attempt{mapAttempt(seq, 0, 0)}, reduces...), r.run(a))
	r.beat(b, says(job.AttemptSucceeded, mapAttempt(seq, 1, 0))...)
	r.beat(a, append(says(job.AttemptRunning, mapAttempt(seq, 0, 0)), append(failed(failure.User, "boom", reduces[0]),
		says(job.AttemptSucceeded, reduces[1])...)...)...)
	require.Equal(t, job.Running, r.state(seq), "a map still runs")
	r.step(Input{Kind: InTrackerLeave, Tracker: b})
	require.Zero(t, r.count(event.TaskReopened))
}
