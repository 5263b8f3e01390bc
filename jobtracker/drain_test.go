package jobtracker

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
)

func (r *rig) drain(name string, how Drain) Output {
	return r.step(Input{Kind: InDrain, Name: name, Drain: how, Text: "it is to leave"})
}

func TestDelayedDrainWaitsForTasksAndOutputs(t *testing.T) {
	r := newRig(t)
	seq, a, b := shuffling(r, 1)
	r.submit(spec(3, 0))
	r.beat(a)
	require.Equal(t, [2]int32{1, 1}, r.m.Cluster().Slots)
	require.Nil(t, r.drain("a", DrainDelayed).Err)
	require.Equal(t, [2]int32{0, 1}, r.m.Cluster().Slots, "policies count on it no longer")
	other := mapAttempt(seq+1, 0, 0)
	require.Equal(t, []job.Attempt{other}, r.beat(a, says(job.AttemptRunning, other)...).Run, "what runs goes on")
	require.Empty(t, r.beat(a, says(job.AttemptSucceeded, other)...).Run, "and nothing follows")
	require.Equal(t, DrainInfo{How: DrainDelayed, Why: "it is to leave", Since: r.now, Outputs: 1}, r.m.DrainInfo(a))
	require.Contains(t, r.beat(a).Jobs, seq, "it keeps the map output")
	r.beat(b, says(job.AttemptSucceeded, reduceAttempt(seq, 0, 0))...)
	require.Zero(t, r.m.DrainInfo(a).Done, "the tracker itself is to be heard")
	r.beat(a)
	require.Equal(t, DrainInfo{How: DrainDelayed, Why: "it is to leave", Since: r.now, Done: r.now}, r.m.DrainInfo(a))
	require.Zero(t, r.count(event.TaskReopened))

	r.step(Input{Kind: InTrackerLeave, Tracker: a})
	require.Zero(t, r.count(event.TaskReopened), "nothing is lost with it")
	again := r.register("a", "h1", "/r", 2, 1, 0)
	require.Len(t, r.beat(again).Run, 1, "its successor works")
}

func TestImmediateDrain(t *testing.T) {
	r := newRig(t)
	seq, a, b := shuffling(r, 1)
	r.submit(spec(1, 0))
	other := mapAttempt(seq+1, 0, 0)
	r.beat(a)
	r.beat(a, says(job.AttemptRunning, other)...)
	require.Nil(t, r.drain("a", DrainImmediate).Err)
	require.Equal(t, []int32{a}, r.wakes, "the drain wakes the tracker immediately")
	info, _ := r.m.AttemptInfo(other)
	require.Equal(t, job.AttemptKilled, info.State)
	require.Equal(t, failure.Node, info.Kind)
	k, _ := r.m.TaskInfo(other.Task)
	require.Equal(t, TaskInfo{State: job.TaskPending, Winner: -1, Attempts: 1}, k, "which is no failure")
	require.Zero(t, r.count(event.TaskReopened), "map outputs are served while its processes end")
	require.Empty(t, r.beat(a, says(job.AttemptRunning, other)...).Run)
	require.Zero(t, r.m.DrainInfo(a).Done)
	r.beat(a)
	require.Equal(t, 1, r.count(event.TaskReopened))
	require.NotZero(t, r.m.DrainInfo(a).Done)
	c := r.register("c", "h3", "/r", 1, 2, 0)
	require.Len(t, r.beat(c).Run, 2, "all run again elsewhere")
	require.Equal(t, []job.Attempt{reduceAttempt(seq, 0, 0)},
		r.beat(b, says(job.AttemptRunning, reduceAttempt(seq, 0, 0))...).Run)
}

func TestRerunDrain(t *testing.T) {
	r := newRig(t)
	seq, a, _ := shuffling(r, 1)
	r.submit(spec(1, 0))
	other := mapAttempt(seq+1, 0, 0)
	r.beat(a)
	r.drain("a", DrainRerun)
	require.Equal(t, []job.Attempt{other}, r.beat(a, says(job.AttemptRunning, other)...).Run)
	require.Zero(t, r.count(event.TaskReopened), "its outputs are served as long as it runs something")
	r.beat(a, says(job.AttemptSucceeded, other)...)
	require.Equal(t, 1, r.count(event.TaskReopened))
	require.NotZero(t, r.m.DrainInfo(a).Done)
}

func TestDrainIsCalledOffAndChanged(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 2, 1)
	r.drain("a", DrainDelayed)
	require.NotZero(t, r.m.DrainInfo(a).Done, "an idle tracker is drained at once")
	seq := r.submit(spec(2, 0))
	require.Empty(t, r.beat(a).Run)
	n := len(r.facts)
	r.drain("a", DrainDelayed)
	require.Len(t, r.facts, n, "to say it again changes nothing")
	r.drain("a", DrainOff)
	require.Equal(t, []int32{a}, r.wakes, "there is work for it")
	require.Equal(t, DrainInfo{}, r.m.DrainInfo(a))
	require.Equal(t, [2]int32{2, 1}, r.m.Cluster().Slots)
	require.Len(t, r.beat(a).Run, 2)
	r.drain("a", DrainDelayed)
	require.Len(t, r.beat(a, says(job.AttemptRunning, mapAttempt(seq, 0, 0), mapAttempt(seq, 1, 0))...).Run, 2)
	r.drain("a", DrainImmediate)
	require.Empty(t, r.beat(a).Run)
}

func TestWhatCannotBeDrained(t *testing.T) {
	r := newRig(t)
	r.register("a", "h1", "/r", 1, 2, 1)
	require.Equal(t, failure.NotFound, r.drain("b", DrainDelayed).Err.Kind)
	require.Equal(t, failure.Usage, r.drain("a", numDrains).Err.Kind)
	_, err := ParseDrain("slowly")
	require.Equal(t, failure.Usage, failure.KindOf(err))
	how, err := ParseDrain("rerun")
	require.NoError(t, err)
	require.Equal(t, DrainRerun, how)
	require.Equal(t, "unknown", numDrains.String())
}

// A drain belongs to the tracker's name, so it survives restarts of the tracker and of the
// JobTracker.
func TestDrainSurvivesRestarts(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	seq := r.submit(spec(1, 0))
	r.beat(a)
	r.drain("a", DrainImmediate)
	r.restart(r.lastFact(event.TrackerDraining) + 1) // the kill was not yet durable
	require.Equal(t, DrainImmediate, r.m.DrainInfo(a).How)
	info, _ := r.m.AttemptInfo(mapAttempt(seq, 0, 0))
	require.Equal(t, job.AttemptKilled, info.State, "the conclusion is drawn again")
	require.Zero(t, r.m.DrainInfo(a).Done, "it is unknown what still runs there")
	b := r.register("a", "h1", "/r", 2, 1, 1)
	require.Empty(t, r.beat(b).Run)
	require.NotZero(t, r.m.DrainInfo(b).Done)
	require.Equal(t, dump(r.m), dump(r.replayed()))
	r.step(Input{Kind: InTick})
	r.now += r.m.cfg.Expiry
	r.step(Input{Kind: InTick})
	require.Empty(t, r.m.Trackers(), "lost, not left")
	c := r.register("a", "h1", "/r", 3, 1, 1)
	require.Empty(t, r.beat(c).Run)
	r.drain("a", DrainOff)
	require.Len(t, r.beat(c).Run, 1)
}

func TestSlotsOfADrainedTrackerMayChange(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	r.drain("a", DrainDelayed)
	r.step(Input{Kind: InBeat, Report: &heartbeat.Report{Tracker: a, Incarnation: 1, Seq: 1, Slots: [2]int32{3, 4}}})
	require.Equal(t, [2]int32{}, r.m.Cluster().Slots)
	require.Equal(t, dump(r.m), dump(r.replayed()))
	r.drain("a", DrainOff)
	require.Equal(t, [2]int32{3, 4}, r.m.Cluster().Slots)
}

func TestDrainsByName(t *testing.T) {
	for d := range numDrains {
		got, err := ParseDrain(d.String())
		require.NoError(t, err)
		require.Equal(t, d, got)
	}
}

// The reply to a drain and its fact name the tracker. A drain can also be canceled while its tracker
// is lost, but not begin then.
func TestDrainsOfLostTrackers(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	b := r.register("b", "h2", "/r", 1, 1, 1)
	seq := r.submit(spec(1, 0))
	r.beat(b)
	require.Equal(t, b, r.drain("b", DrainDelayed).Tracker)
	require.Equal(t, b, r.facts[r.lastFact(event.TrackerDraining)].Tracker)
	for _, handle := range []int32{a, b} {
		r.step(Input{Kind: InTrackerLeave, Tracker: handle})
	}
	require.Equal(t, failure.NotFound, r.drain("a", DrainDelayed).Err.Kind)
	o := r.drain("b", DrainOff)
	require.Nil(t, o.Err)
	require.Zero(t, o.Tracker)
	again := r.register("b", "h2", "/r", 2, 1, 1)
	require.Equal(t, []job.Attempt{mapAttempt(seq, 0, 1)}, r.beat(again).Run)
}

// A canceled drain leaves nothing behind: the next one waits for the tracker's attempts again.
func TestSecondDrain(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	r.drain("a", DrainDelayed)
	r.now += 1000
	r.beat(a)
	require.Equal(t, 1, r.count(event.TrackerDrained))
	r.drain("a", DrainOff)
	seq := r.submit(spec(1, 0))
	r.beat(a)
	r.drain("a", DrainDelayed)
	require.Zero(t, r.m.DrainInfo(a).Done)
	r.beat(a, says(job.AttemptSucceeded, mapAttempt(seq, 0, 0))...)
	require.Equal(t, r.now, r.m.DrainInfo(a).Done)
}

// The progress of a drain counts every map output that a reduce needs.
func TestDrainCountsOutputs(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 3, 0)
	seq := r.submit(spec(3, 1))
	r.beat(a)
	r.drain("a", DrainDelayed)
	r.beat(a, says(job.AttemptSucceeded, mapAttempt(seq, 0, 0), mapAttempt(seq, 1, 0), mapAttempt(seq, 2, 0))...)
	require.Equal(t, 3, r.m.DrainInfo(a).Outputs)
}
