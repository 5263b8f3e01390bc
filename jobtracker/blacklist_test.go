package jobtracker

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
)

// flakyCluster returns a cluster with a bad tracker, on which the tests let attempts fail, and
// several good ones.
func flakyCluster(t *testing.T, others int, change ...func(*Config)) (r *rig, bad int32, good []int32) {
	r = newRig(t, append(change, func(c *Config) { c.CompletedPerUser, c.CompletedTotal = 2, 2 })...)
	bad = r.register("bad", "h1", "/r", 1, 1, 0)
	for i := range others {
		good = append(good, r.register(string(rune('a'+i)), "h1", "/r", 1, 1, 0))
	}
	return r, bad, good
}

// spoil runs a job that succeeds even though it has to avoid the bad tracker.
func (r *rig) spoil(bad int32, good []int32) {
	s := spec(1, 0)
	s.TrackerFailures = 1
	seq := r.submit(s)
	require.Len(r.t, r.beat(bad).Run, 1)
	r.beat(bad, failed(failure.User, "x", mapAttempt(seq, 0, 0))...)
	require.Len(r.t, r.beat(good[0]).Run, 1)
	r.beat(good[0], says(job.AttemptSucceeded, mapAttempt(seq, 0, 1))...)
	require.Nil(r.t, r.step(Input{Kind: InCommitDone, Job: seq}).Err)
}

func (r *rig) blacklisted(tracker int32) bool {
	info, ok := r.m.TrackerInfo(tracker)
	require.True(r.t, ok)
	return info.Blacklisted != ""
}

func TestClusterBlacklist(t *testing.T) {
	r, bad, good := flakyCluster(t, 5)
	for i := range 4 {
		require.False(t, r.blacklisted(bad), "after %d faults", i)
		r.spoil(bad, good)
	}
	require.True(t, r.blacklisted(bad))
	s := spec(9, 1)
	s.SlowStart = 0
	seq := r.submit(s)
	require.Empty(t, r.beat(bad).Run)
	_, ok := r.m.PickReduce(seq, bad)
	require.False(t, ok)
	_, ok = r.m.PickReduce(seq, good[0])
	require.True(t, ok)
	require.False(t, r.m.Launch(mapAttempt(seq, 0, 0).Task, bad, job.Map))
	r.step(Input{Kind: InKillJob, Job: seq})
	at := r.now + r.m.cfg.BlacklistWindow
	beatAll := func() {
		for _, h := range r.m.live {
			r.beat(h)
		}
	}
	r.now = at - 1
	beatAll()
	r.step(Input{Kind: InTick})
	require.True(t, r.blacklisted(bad))
	require.Equal(t, at, r.m.NextDeadline())
	r.now = at
	r.submit(spec(9, 0))
	require.NotContains(t, r.wakes, bad)
	r.step(Input{Kind: InTick})
	require.False(t, r.blacklisted(bad))
	require.Equal(t, 1, r.count(event.TrackerCleared))
	require.Equal(t, []int32{bad}, r.wakes)
	require.Len(t, r.beat(bad).Run, 1)
}

func TestOldFaultsDoNotCount(t *testing.T) {
	r, bad, good := flakyCluster(t, 5)
	for range 6 {
		r.spoil(bad, good)
		r.now += r.m.cfg.BlacklistWindow / 2
	}
	require.False(t, r.blacklisted(bad))
	require.Len(t, r.m.names[r.m.trackers.Get(bad).who].faults, 2)
}

func TestFaultsLikeAllOthers(t *testing.T) {
	r, bad, good := flakyCluster(t, 5)
	for _, h := range good {
		r.m.names[r.m.trackers.Get(h).who].faults = []int64{r.now, r.now, r.now}
	}
	for range 5 {
		r.spoil(bad, good)
	}
	require.False(t, r.blacklisted(bad), "5 is no more than 1.5 times the average of 20/6")
	r.spoil(bad, good)
	require.True(t, r.blacklisted(bad), "6 is more than 1.5 times 21/6")
}

func TestHalfOfTheClusterStays(t *testing.T) {
	r, bad, good := flakyCluster(t, 5)
	for _, h := range good[1:4] {
		require.NoError(t, r.m.Apply(&event.Event{Type: event.TrackerBlacklisted, Tracker: h}))
	}
	for range 6 {
		r.spoil(bad, good)
	}
	require.False(t, r.blacklisted(bad))
	require.NoError(t, r.m.Apply(&event.Event{Type: event.TrackerCleared, Tracker: good[1]}))
	r.spoil(bad, good)
	require.True(t, r.blacklisted(bad))
}

func TestNoClusterBlacklist(t *testing.T) {
	r, bad, good := flakyCluster(t, 5, func(c *Config) { c.MaxBlacklists = 0 })
	for range 6 {
		r.spoil(bad, good)
	}
	require.False(t, r.blacklisted(bad))
}

// A failed job does not count as a fault of the trackers on its blacklist.
func TestFailedJobsBlameNobody(t *testing.T) {
	r, bad, _ := flakyCluster(t, 5, func(c *Config) { c.MaxBlacklists = 1 })
	s := spec(1, 0)
	s.TrackerFailures, s.MapAttempts = 1, 1
	seq := r.submit(s)
	r.beat(bad)
	r.beat(bad, failed(failure.User, "x", mapAttempt(seq, 0, 0))...)
	r.step(Input{Kind: InAbortDone, Job: seq})
	require.Equal(t, job.Failed, r.state(seq))
	info, _ := r.m.JobInfo(seq)
	require.Contains(t, info.Text, "Task failed task_")
	require.False(t, r.blacklisted(bad))
}

// Tasks run on the only trackers with enough room, even if the job blacklists these trackers or
// attempts failed there.
func TestListsLeaveRoomForWideTasks(t *testing.T) {
	r, _ := lazyRig(t, func(c *Config) { c.SlotMemory = [2]int32{1024, 1024} })
	bad := r.register("bad", "h0", "/r", 1, 2, 0)
	for _, n := range []string{"a", "b", "c", "d", "e", "f"} {
		r.register(n, n, "/r", 1, 1, 1)
	}
	s := spec(2, 0)
	s.MapMemory, s.TrackerFailures = 2048, 1
	seq := r.submit(s)
	require.True(t, r.m.Launch(mapAttempt(seq, 0, 0).Task, bad, job.Map))
	r.beat(bad, failed(failure.User, "boom", mapAttempt(seq, 0, 0))...)
	require.Equal(t, event.TrackerBlacklisted, r.facts[len(r.facts)-1].Type)
	may := func() bool { return r.m.jobMayRun(r.m.jobs.Get(seq), r.m.trackers.Get(bad)) }
	require.True(t, may(), "the others have one slot, and it needs two")
	require.True(t, r.m.taskMayRun(r.m.jobs.Get(seq), &r.m.jobs.Get(seq).tasks[0][0], job.Map, r.m.trackers.Get(bad)))

	good := r.register("good", "h1", "/r", 1, 2, 0)
	require.False(t, may(), "this one has room")
	require.False(t, r.m.taskMayRun(r.m.jobs.Get(seq), &r.m.jobs.Get(seq).tasks[0][0], job.Map, r.m.trackers.Get(bad)))
	r.report(&heartbeat.Report{Tracker: good, Unhealthy: "the disk is full"})
	require.True(t, may(), "but is ill")
	r.beat(good)
	require.False(t, may())
	r.report(&heartbeat.Report{Tracker: good, Refused: []heartbeat.Refusal{{Job: seq, Text: "no such file"}}})
	require.True(t, may(), "but does not see the job's files")
	second := r.register("second", "h2", "/r", 1, 2, 0)
	require.False(t, may())
	require.NoError(t, r.m.Apply(&event.Event{Type: event.TrackerBlacklisted, Job: seq, Tracker: second}))
	require.True(t, may(), "it is on the list itself")
}

// A blacklist counts if the job has no waiting tasks of the type for which the other trackers lack
// slots.
func TestListsCountWhereNothingWaits(t *testing.T) {
	r, _ := lazyRig(t)
	bad := r.register("bad", "h0", "/r", 1, 2, 2)
	for _, n := range []string{"a", "b", "c", "d", "e", "f"} {
		r.register(n, n, "/r", 1, 1, 0)
	}
	s := spec(2, 1)
	s.TrackerFailures = 1
	seq := r.submit(s)
	require.NoError(t, r.m.Apply(&event.Event{Type: event.TrackerBlacklisted, Job: seq, Tracker: bad}))
	may := func() bool { return r.m.jobMayRun(r.m.jobs.Get(seq), r.m.trackers.Get(bad)) }
	require.True(t, may(), "no other tracker has a reduce slot")
	r.submit(spec(1, 0))
	other := spec(2, 0)
	seq = r.submit(other)
	require.NoError(t, r.m.Apply(&event.Event{Type: event.TrackerBlacklisted, Job: seq, Tracker: bad}))
	require.False(t, may(), "this job has no reduces")
}

// A job that waits only for setup or cleanup also needs a tracker, which can be a blacklisted one.
func TestListsDoNotCountWhereAChoreWaits(t *testing.T) {
	r := newRig(t)
	bad := r.register("bad", "h0", "/r", 1, 1, 1)
	var others []int32
	for _, n := range []string{"a", "b", "c", "d"} {
		others = append(others, r.register(n, n, "/r", 1, 1, 1))
	}
	s := spec(0, 0)
	s.Committer, s.TrackerFailures = true, 1
	seq := r.submit(s)
	setup := r.beat(bad).Run
	require.Len(t, setup, 1)
	r.beat(bad, failed(failure.User, "boom", setup...)...)
	for i, h := range others {
		require.Empty(t, r.beat(bad).Run, "%d trackers are left", len(others)-i)
		r.report(&heartbeat.Report{Tracker: h, Refused: []heartbeat.Refusal{{Job: seq, Text: "no such file"}}})
	}
	require.Len(t, r.beat(bad).Run, 1, "no other tracker sees the job's files")
}

// For containers, room means memory.
func TestRoomForContainers(t *testing.T) {
	r, _, register := withMemory(t)
	a := register("a", 0, 0)
	s := spec(1, 0)
	s.MapMemory = 4096
	j := r.m.jobs.Get(r.submit(s))
	require.False(t, r.m.couldHold(r.m.trackers.Get(a), j, job.Map))
	r.m.SetPolicy(&roomy{})
	require.True(t, r.m.couldHold(r.m.trackers.Get(a), j, job.Map))
	s.MapMemory++
	require.False(t, r.m.couldHold(r.m.trackers.Get(a), j, job.Map))
}

// If a job's setup waits, the machine wakes a tracker with room for it.
func TestChoreWakesATracker(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h0", "/r", 1, 1, 1)
	r.beat(a)
	s := spec(1, 0)
	s.Committer = true
	r.submit(s)
	require.Equal(t, []int32{a}, r.wakes)
}

// A successful job also counts as a fault of a tracker that is lost by then. The fault belongs to
// the tracker's name, so it counts after the tracker has returned.
func TestFaultsOfLostTrackers(t *testing.T) {
	r, bad, good := flakyCluster(t, 3, func(c *Config) { c.MaxBlacklists = 2 })
	r.spoil(bad, good)
	s := spec(1, 0)
	s.TrackerFailures = 1
	seq := r.submit(s)
	r.beat(bad)
	r.beat(bad, failed(failure.User, "x", mapAttempt(seq, 0, 0))...)
	r.step(Input{Kind: InTrackerLeave, Tracker: bad})
	r.beat(good[0])
	r.beat(good[0], says(job.AttemptSucceeded, mapAttempt(seq, 0, 1))...)
	require.Nil(t, r.step(Input{Kind: InCommitDone, Job: seq}).Err)
	bad = r.register("bad", "h1", "/r", 2, 1, 0)
	require.False(t, r.blacklisted(bad))
	r.spoil(bad, good)
	require.True(t, r.blacklisted(bad))
}

// A job blacklists a tracker once, even if more of its attempts fail there.
func TestTrackersAreListedOnce(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 3, 0)
	s := spec(3, 0)
	s.TrackerFailures = 1
	seq := r.submit(s)
	r.beat(a)
	r.beat(a, failed(failure.User, "x", mapAttempt(seq, 0, 0), mapAttempt(seq, 1, 0), mapAttempt(seq, 2, 0))...)
	require.Equal(t, 1, r.count(event.TrackerBlacklisted))
}
