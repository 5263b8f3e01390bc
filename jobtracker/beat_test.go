package jobtracker

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
)

// A map's split is at the offset that the job's specification contains.
func TestOffsets(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 2, 1)
	s := spec(2, 1)
	s.Splits[0].Offset, s.Splits[1].Offset, s.SlowStart = 7, 300, 0
	seq := r.submit(s)
	r.beat(a)
	d := r.beat(a)
	require.ElementsMatch(t, []job.Attempt{mapAttempt(seq, 0, 0), mapAttempt(seq, 1, 0), reduceAttempt(seq, 0, 0)}, d.Run)
	for i, id := range d.Run {
		require.Equal(t, map[job.Attempt]int64{mapAttempt(seq, 0, 0): 7, mapAttempt(seq, 1, 0): 300}[id], d.Offsets[i])
	}
}

// A repeated or older report changes nothing. The reply contains the current state.
func TestOldBeats(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	seq := r.submit(spec(2, 0))
	r.beat(a)
	beat := Input{Kind: InBeat, Report: &heartbeat.Report{Tracker: a, Incarnation: 1, Seq: 2, Slots: [2]int32{1, 1},
		Attempts: says(job.AttemptSucceeded, mapAttempt(seq, 0, 0))}}
	r.seq[a] = 2
	r.now += 5000
	d := r.step(beat).Desired
	require.Equal(t, []job.Attempt{mapAttempt(seq, 1, 0)}, d.Run)
	facts := len(r.facts)
	r.now += 1000
	d = r.step(beat).Desired
	require.Equal(t, []job.Attempt{mapAttempt(seq, 1, 0)}, d.Run)
	require.EqualValues(t, 2, d.Seq)
	beat.Report.Seq = 1
	require.EqualValues(t, 1, r.step(beat).Desired.Seq)
	require.Len(t, r.facts, facts)
	info, _ := r.m.TrackerInfo(a)
	require.Equal(t, r.now-1000, info.LastBeat, "a copy in the network is no sign of life")
}

func TestStrangersAreToldToRegister(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	for _, p := range []*heartbeat.Report{nil, {Tracker: 9, Seq: 4}, {Tracker: a, Incarnation: 2, Seq: 4}} {
		d := r.step(Input{Kind: InBeat, Report: p}).Desired
		require.True(t, d.Register)
		require.Empty(t, d.Run)
		require.Empty(t, d.Jobs)
		if p != nil {
			require.EqualValues(t, 4, d.Seq)
		}
	}
}

// A step leaves no tracker on the list of those to wake.
func TestWakesAreForgotten(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	seq := r.submit(spec(1, 0))
	r.beat(a)
	r.step(Input{Kind: InKillAttempt, Attempt: mapAttempt(seq, 0, 0)})
	require.Equal(t, []int32{a}, r.wakes)
	require.Empty(t, r.m.told)
}

// A killed attempt occupies its slot until a report from its tracker no longer lists it.
func TestDyingAttemptsHoldTheirSlots(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	seq := r.submit(spec(1, 0))
	r.beat(a)
	r.step(Input{Kind: InKillAttempt, Attempt: mapAttempt(seq, 0, 0)})
	require.EqualValues(t, 1, r.m.Tracker(a).Used[job.Map])
	require.Empty(t, r.beat(a, says(job.AttemptRunning, mapAttempt(seq, 0, 0))...).Run)
	info, _ := r.m.TrackerInfo(a)
	require.Equal(t, 1, info.Dying)
	require.Equal(t, []job.Attempt{mapAttempt(seq, 0, 1)}, r.beat(a).Run)
	require.EqualValues(t, 1, r.m.Cluster().Used[job.Map])
}

func TestUnknownAttemptsAreNotDesired(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 2, 2)
	lines := says(job.AttemptRunning, mapAttempt(7, 0, 0), reduceAttempt(7, 0, 0),
		job.Attempt{Task: job.Task{Job: 7, Type: job.Setup}})
	lines = append(lines, says(job.AttemptSucceeded, mapAttempt(7, 1, 0))...)
	require.Empty(t, r.beat(a, lines...).Run)
	require.Equal(t, [2]int32{2, 1}, r.m.Tracker(a).Used, "while they are there they occupy slots")
	require.Empty(t, r.m.Completions(7))
	r.beat(a)
	require.Equal(t, [2]int32{}, r.m.Tracker(a).Used)
}

func TestReportsOfProgress(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	seq := r.submit(spec(2, 0))
	r.beat(a)
	c := &job.Counters{User: []job.UserCounter{{Group: "g", Name: "n", Value: 3}}}
	c.Builtin[job.MapInputRecords] = 7
	line := heartbeat.AttemptReport{Attempt: mapAttempt(seq, 0, 0), State: job.AttemptRunning, Phase: job.PhaseMap,
		Progress: 500_000, Counters: c, Status: "half way", ShuffleDone: 1, SortDone: 2}
	r.beat(a, line)
	c.Builtin[job.MapInputRecords], c.User[0].Value = 0, 0
	info, _ := r.m.AttemptInfo(mapAttempt(seq, 0, 0))
	require.Equal(t, job.AttemptRunning, info.State)
	require.Equal(t, job.PhaseMap, info.Phase)
	require.Equal(t, "half way", info.Status)
	require.EqualValues(t, 500_000, info.Progress)
	require.EqualValues(t, 7, info.Counters().Builtin[job.MapInputRecords], "the report's memory is the driver's")
	require.EqualValues(t, 3, info.Counters().User[0].Value)
	require.EqualValues(t, 1, info.ShuffleDone)
	require.EqualValues(t, 2, info.SortDone)
	view := r.m.Attempt(mapAttempt(seq, 0, 0))
	require.EqualValues(t, 1, view.ShuffleDone, "policies see it while the attempt runs")
	require.EqualValues(t, 2, view.SortDone)
	ji, _ := r.m.JobInfo(seq)
	require.Equal(t, [2]int32{250_000, 0}, ji.Progress)
	require.EqualValues(t, 7, r.m.Counters(seq, true).Builtin[job.MapInputRecords])
	require.Zero(t, r.m.Counters(seq, false).Builtin[job.MapInputRecords])
	line.Counters, line.Progress = nil, 2*million
	r.beat(a, line)
	info, _ = r.m.AttemptInfo(mapAttempt(seq, 0, 0))
	require.EqualValues(t, million, info.Progress, "never more than all")
	require.EqualValues(t, 7, info.Counters().Builtin[job.MapInputRecords], "as last reported")
	line.Progress = -1
	r.beat(a, line)
	info, _ = r.m.AttemptInfo(mapAttempt(seq, 0, 0))
	require.Zero(t, info.Progress)
}

// The first success in the journal wins. The other attempt is killed, and its counters do not
// count.
func TestTwins(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	b := r.register("b", "h2", "/r", 1, 1, 1)
	seq := r.submit(spec(1, 0))
	r.beat(a)
	require.False(t, r.m.Launch(mapAttempt(seq, 0, 0).Task, b, job.Map), "it does not wait")
	require.True(t, r.twin(mapAttempt(seq, 0, 0).Task, b))
	require.Equal(t, []job.Attempt{mapAttempt(seq, 0, 1)}, r.beat(b).Run)
	win := says(job.AttemptSucceeded, mapAttempt(seq, 0, 1))
	win[0].Counters = &job.Counters{}
	win[0].Counters.Builtin[job.MapInputRecords] = 5
	win[0].Manifest = []job.OutputFile{{Name: "part-m-00000", Length: 3}}
	r.beat(b, win...)
	require.Empty(t, r.asks, "the commit waits for the loser to be gone")
	lose := says(job.AttemptSucceeded, mapAttempt(seq, 0, 0))
	lose[0].Counters = win[0].Counters
	require.Empty(t, r.beat(a, lose...).Run)
	require.Equal(t, OutCommit, r.asks[0].Kind)
	info, _ := r.m.AttemptInfo(mapAttempt(seq, 0, 0))
	require.Equal(t, job.AttemptKilled, info.State)
	require.False(t, info.Winner)
	var winners []AttemptInfo
	r.m.Winners(seq, job.Map, func(a AttemptInfo) { winners = append(winners, a) })
	require.Len(t, winners, 1)
	require.EqualValues(t, 1, winners[0].ID.N)
	require.Equal(t, win[0].Manifest, winners[0].Manifest)
	require.EqualValues(t, 5, r.m.Counters(seq, true).Builtin[job.MapInputRecords])
	require.EqualValues(t, 1, r.m.Counters(seq, true).Builtin[job.KilledMaps])
}

// If both attempts of a task succeed in one report from a tracker, the second one loses.
func TestTwinsInOneReport(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 3, 1)
	seq := r.submit(spec(1, 0))
	r.beat(a)
	r.force(mapAttempt(seq, 0, 1), a)
	r.beat(a, says(job.AttemptSucceeded, mapAttempt(seq, 0, 0), mapAttempt(seq, 0, 1))...)
	require.Equal(t, job.Committing, r.state(seq))
	require.EqualValues(t, 1, r.m.Tracker(a).Used[job.Map], "the beaten twin until the next report")
	r.beat(a)
	require.Zero(t, r.m.Tracker(a).Used[job.Map])
}

func TestAttemptsThatVanished(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 2, 1)
	seq := r.submit(spec(2, 0))
	r.beat(a)
	require.Len(t, r.beat(a).Run, 2, "they may not have arrived yet")
	r.beat(a, says(job.AttemptRunning, mapAttempt(seq, 0, 0), mapAttempt(seq, 1, 0))...)
	require.ElementsMatch(t, []job.Attempt{mapAttempt(seq, 0, 1), mapAttempt(seq, 1, 1)}, r.beat(a).Run)
	for m := range int32(2) {
		info, _ := r.m.AttemptInfo(mapAttempt(seq, m, 0))
		require.Equal(t, job.AttemptKilled, info.State)
		require.Equal(t, failure.Node, info.Kind)
	}
}

// If a tracker never starts an attempt, the machine kills the attempt after Config.Expiry.
func TestAttemptNeverStarted(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	seq := r.submit(spec(1, 0))
	start := r.now
	r.beat(a)
	for range 4 {
		r.now += r.m.cfg.Expiry / 4
		if r.now < start+r.m.cfg.Expiry {
			r.beat(a)
			r.step(Input{Kind: InTick})
			require.Equal(t, []job.Attempt{mapAttempt(seq, 0, 0)}, r.run(a))
		}
	}
	require.Equal(t, start+r.m.cfg.Expiry, r.m.NextDeadline())
	r.step(Input{Kind: InTick})
	require.Empty(t, r.run(a))
	require.Equal(t, []job.Attempt{mapAttempt(seq, 0, 1)}, r.beat(a).Run)
}

func TestConfirmedAttemptsAreNotWatched(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 200, 1)
	seq := r.submit(spec(200, 0))
	d := r.beat(a)
	require.Len(t, d.Run, 200)
	r.beat(a, says(job.AttemptRunning, d.Run...)...)
	require.Nil(t, r.m.oldestUnsure())
	require.Empty(t, r.m.unsure)
	_ = seq
}

// The list of unconfirmed attempts stays small even if the cluster launches attempts all the time.
func TestWatchListStaysSmall(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 0)
	b := r.register("b", "h2", "/r", 1, 1, 0)
	r.submit(spec(1000, 0))
	r.beat(a)
	for range 400 {
		for _, tt := range []int32{b, a} { // one of the two trackers always has an unconfirmed attempt
			r.beat(tt, says(job.AttemptRunning, r.run(tt)...)...)
			r.beat(tt, says(job.AttemptSucceeded, r.run(tt)...)...)
			require.NotNil(t, r.m.oldestUnsure())
		}
	}
	require.Less(t, cap(r.m.unsure), 20)
}

// shuffling creates a job with one finished map on tracker a and running reduces on tracker b.
func shuffling(r *rig, reduces int32) (seq, a, b int32) {
	a = r.register("a", "h1", "/r", 1, 1, 0)
	b = r.register("b", "h2", "/r", 1, 0, reduces)
	seq = r.submit(spec(1, reduces))
	r.beat(a)
	r.beat(a, says(job.AttemptSucceeded, mapAttempt(seq, 0, 0))...)
	r.beat(b)
	return seq, a, b
}

func notices(seq int32, reduces ...int32) []heartbeat.FetchFailure {
	var f []heartbeat.FetchFailure
	for _, i := range reduces {
		f = append(f, heartbeat.FetchFailure{Reduce: reduceAttempt(seq, i, 0), Map: mapAttempt(seq, 0, 0)})
	}
	return f
}

func TestFetchFailures(t *testing.T) {
	r := newRig(t)
	seq, a, b := shuffling(r, 1)
	lines := says(job.AttemptRunning, reduceAttempt(seq, 0, 0))
	for range 2 {
		r.report(&heartbeat.Report{Tracker: b, Attempts: lines, Fetch: notices(seq, 0)})
		require.EqualValues(t, 1, r.m.Job(seq).Finished[job.Map])
	}
	r.report(&heartbeat.Report{Tracker: b, Attempts: lines, Fetch: notices(seq, 0)})
	require.Zero(t, r.m.Job(seq).Finished[job.Map], "three of one reducer are enough when it is the only one")
	require.Equal(t, []int32{a}, r.wakes)
	info, _ := r.m.AttemptInfo(mapAttempt(seq, 0, 0))
	require.Equal(t, job.AttemptFailed, info.State)
	require.Equal(t, "Too many fetch-failures", info.Text)
	k, _ := r.m.TaskInfo(mapAttempt(seq, 0, 0).Task)
	require.EqualValues(t, 1, k.Failures)
	require.Equal(t, job.TaskPending, k.State)
	require.Equal(t, []Completion{{Map: 0, Tracker: a}, {Map: 0, Tracker: a, Obsolete: true}}, r.m.Completions(seq))
	events := r.m.TaskEvents(seq, 0, 10, nil)
	require.Len(t, events, 2)
	require.Equal(t, "OBSOLETE", events[1].Status)
	require.EqualValues(t, 1, r.m.Counters(seq, false).Builtin[job.FailedMaps])

	require.Equal(t, []job.Attempt{mapAttempt(seq, 0, 1)}, r.beat(a).Run,
		"it failed everywhere, so it may run there again")
	r.beat(a, says(job.AttemptSucceeded, mapAttempt(seq, 0, 1))...)
	r.report(&heartbeat.Report{Tracker: b, Attempts: lines, Fetch: notices(seq, 0, 0, 0, 0)})
	require.EqualValues(t, 1, r.m.Job(seq).Finished[job.Map], "notices of the old output say nothing of the new")
}

// A map whose output cannot be fetched runs elsewhere. The failure counts against its tracker.
func TestLostOutputsAreTheTrackersFault(t *testing.T) {
	r := newRig(t)
	seq, a, b := shuffling(r, 1)
	r.m.jobs.Get(seq).view.Spec.TrackerFailures = 1
	c := r.register("c", "h3", "/r", 1, 1, 0)
	r.report(&heartbeat.Report{Tracker: b, Attempts: says(job.AttemptRunning, reduceAttempt(seq, 0, 0)),
		Fetch: notices(seq, 0, 0, 0)})
	require.Empty(t, r.beat(a).Run)
	require.Len(t, r.beat(c).Run, 1)
	require.True(t, r.m.jobs.Get(seq).blameOf(r.m.trackers.Get(a).who).listed)
}

func TestFewFetchFailuresAmongManyReduces(t *testing.T) {
	r := newRig(t)
	seq, _, b := shuffling(r, 8)
	require.EqualValues(t, 8, r.m.Job(seq).Running[job.Reduce])
	lines := says(job.AttemptRunning, r.run(b)...)
	r.report(&heartbeat.Report{Tracker: b, Attempts: lines, Fetch: notices(seq, 0, 1, 2)})
	require.EqualValues(t, 1, r.m.Job(seq).Finished[job.Map], "three of eight are less than half")
	r.report(&heartbeat.Report{Tracker: b, Attempts: lines, Fetch: notices(seq, 3)})
	require.Zero(t, r.m.Job(seq).Finished[job.Map])
}

func TestFetchNoticesThatDoNotCount(t *testing.T) {
	r := newRig(t)
	seq, a, b := shuffling(r, 1)
	other := r.submit(spec(1, 1))
	bad := []heartbeat.FetchFailure{
		{Reduce: reduceAttempt(seq, 0, 1), Map: mapAttempt(seq, 0, 0)},
		{Reduce: reduceAttempt(seq, 0, 0), Map: mapAttempt(seq, 0, 1)},
		{Reduce: mapAttempt(seq, 0, 0), Map: mapAttempt(seq, 0, 0)},
		{Reduce: reduceAttempt(seq, 0, 0), Map: reduceAttempt(seq, 0, 0)},
		{Reduce: reduceAttempt(seq, 0, 0), Map: mapAttempt(other, 0, 0)},
		{Reduce: reduceAttempt(other, 0, 0), Map: mapAttempt(seq, 0, 0)},
	}
	for range 4 {
		r.report(&heartbeat.Report{Tracker: b, Attempts: says(job.AttemptRunning, reduceAttempt(seq, 0, 0)), Fetch: bad})
		r.report(&heartbeat.Report{Tracker: a, Fetch: notices(seq, 0)}) // this tracker does not run the reduce
	}
	require.EqualValues(t, 1, r.m.Job(seq).Finished[job.Map])
}

func TestMapWhoseOutputIsAlwaysLostFailsTheJob(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	s := spec(1, 1)
	s.MapAttempts = 2
	seq := r.submit(s)
	r.beat(a)
	for n := range int32(2) {
		lines := says(job.AttemptSucceeded, mapAttempt(seq, 0, n))
		if n > 0 {
			lines = append(lines, says(job.AttemptRunning, reduceAttempt(seq, 0, 0))...)
		}
		r.beat(a, lines...)
		f := heartbeat.FetchFailure{Reduce: reduceAttempt(seq, 0, 0), Map: mapAttempt(seq, 0, n)}
		r.report(&heartbeat.Report{Tracker: a, Attempts: says(job.AttemptRunning, reduceAttempt(seq, 0, 0)),
			Fetch: []heartbeat.FetchFailure{f, f, f}})
	}
	require.Equal(t, job.Aborting, r.state(seq))
	info, _ := r.m.JobInfo(seq)
	require.Contains(t, info.Text, "Too many fetch-failures")
	require.Equal(t, "TIPFAILED", r.m.TaskEvents(seq, 3, 1, nil)[0].Status)
}

// A tracker that cannot read a job's files runs none of the job's tasks. The job fails if no live
// tracker can read them.
func TestRefusal(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 2, 1)
	seq := r.submit(spec(3, 0))
	r.beat(a)
	b := r.register("b", "h2", "/r", 1, 1, 1)
	refuse := []heartbeat.Refusal{{Job: seq, Text: "put the files on shared storage or HDFS"}}
	d := r.report(&heartbeat.Report{Tracker: a, Refused: refuse})
	require.Empty(t, d.Run)
	require.Equal(t, job.Running, r.state(seq))
	require.Equal(t, []int32{b}, r.wakes)
	for range 3 {
		require.Empty(t, r.report(&heartbeat.Report{Tracker: a, Refused: refuse}).Run)
	}
	require.Equal(t, 1, r.count(event.TrackerBlacklisted))
	d = r.beat(b)
	require.Len(t, d.Run, 1)
	require.True(t, r.m.jobs.Get(seq).blameOf(r.m.trackers.Get(a).who).refused)
	r.report(&heartbeat.Report{Tracker: b, Refused: refuse, Attempts: says(job.AttemptAssigned, d.Run...)})
	require.Equal(t, job.Aborting, r.state(seq))
	info, _ := r.m.JobInfo(seq)
	require.Equal(t, refuse[0].Text, info.Text)
	require.Equal(t, failure.NotFound, info.Kind)
	r.report(&heartbeat.Report{Tracker: b, Refused: []heartbeat.Refusal{{Job: 99}}})
}

// A job fails if the last tracker that can read its files is lost.
func TestOnlyRefusersAreLeft(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	b := r.register("b", "h2", "/r", 1, 0, 0)
	seq := r.submit(spec(1, 0))
	r.report(&heartbeat.Report{Tracker: a, Refused: []heartbeat.Refusal{{Job: seq, Text: "no"}}})
	require.Equal(t, job.Running, r.state(seq))
	r.step(Input{Kind: InTrackerLeave, Tracker: b})
	require.Equal(t, job.Aborting, r.state(seq))

	seq = r.submit(spec(1, 0))
	r.report(&heartbeat.Report{Tracker: a, Refused: []heartbeat.Refusal{{Job: seq, Text: "no"}}})
	require.Equal(t, job.Aborting, r.state(seq))
}

func TestNoTrackersIsNoRefusal(t *testing.T) {
	r := newRig(t)
	seq := r.submit(spec(1, 0))
	r.step(Input{Kind: InTick})
	require.Equal(t, job.Running, r.state(seq))
}

func TestUnhealthyTrackersGetNoWork(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	r.submit(spec(2, 0))
	require.Empty(t, r.report(&heartbeat.Report{Tracker: a, Unhealthy: "disk full"}).Run)
	info, _ := r.m.TrackerInfo(a)
	require.Equal(t, "disk full", info.Unhealthy)
	d := r.beat(a)
	require.Len(t, d.Run, 1)
	d = r.report(&heartbeat.Report{Tracker: a, Unhealthy: "disk full", Attempts: says(job.AttemptRunning, d.Run...)})
	require.Len(t, d.Run, 1, "what runs goes on")
}

func TestNonsenseInputs(t *testing.T) {
	r := newRig(t)
	require.Equal(t, failure.Internal, r.step(Input{Kind: numInputKinds}).Err.Kind)
	for kind, op := range map[InputKind]string{InKillAttempt: "kill attempt", InFailAttempt: "fail attempt"} {
		err := r.step(Input{Kind: kind, Attempt: mapAttempt(1, 0, 0)}).Err
		require.Equal(t, failure.NotFound, err.Kind)
		require.ErrorContains(t, err, op)
	}
	require.Equal(t, failure.Stale, r.step(Input{Kind: InCommitDone, Job: 1}).Err.Kind)
	require.Equal(t, failure.Stale, r.step(Input{Kind: InAbortDone, Job: 1}).Err.Kind)
}

// While a tracker still runs a cleanup task of a job that was dropped, the task occupies a slot like
// any other attempt.
func TestUnknownCleanupsHoldTheirSlots(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 2, 2)
	r.beat(a, says(job.AttemptRunning, cleanupAttempt(7, job.CleanupKilled, 0))...)
	require.Equal(t, [2]int32{1, 0}, r.m.Tracker(a).Used)
}

// A report without a range of records does not change the range that an earlier report gave. If the
// attempt then fails, the records of that range are suspect.
func TestSuspectRecordsAreRemembered(t *testing.T) {
	r := newRig(t)
	tt := r.register("a", "h1", "/r", 1, 1, 1)
	s := spec(1, 0)
	s.SkipAfter, s.MapSkip, s.MapAttempts = 1, 1, 9
	seq := r.submit(s)
	r.beat(tt)
	r.beat(tt, failing(mapAttempt(seq, 0, 0), 0, 0))
	line := failing(mapAttempt(seq, 0, 1), 10, 4)
	line.State = job.AttemptRunning
	r.beat(tt, line)
	r.beat(tt, failing(mapAttempt(seq, 0, 1), 0, 0))
	end := r.facts[r.lastFact(event.AttemptFinished)]
	require.Equal(t, job.Range{Start: 10, Length: 4}, end.Range)
}

// A notice counts only if a running reduce names a finished map of its own job. A running map is no
// reduce, and a finished reduce has no map output.
func TestNoticesNameAReduceAndItsMap(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 3, 3)
	s := spec(2, 2)
	s.SlowStart = 0
	seq := r.submit(s)
	s = spec(1, 1)
	s.SlowStart = 0
	other := r.submit(s)
	r.beat(a)
	require.Len(t, r.run(a), 6)
	lines := says(job.AttemptRunning, mapAttempt(seq, 1, 0), reduceAttempt(seq, 1, 0), reduceAttempt(other, 0, 0))
	r.beat(a, append(says(job.AttemptSucceeded, mapAttempt(seq, 0, 0), reduceAttempt(seq, 0, 0), mapAttempt(other, 0, 0)),
		lines...)...)
	for _, f := range []heartbeat.FetchFailure{
		{Reduce: mapAttempt(seq, 1, 0), Map: mapAttempt(seq, 0, 0)},
		{Reduce: reduceAttempt(seq, 1, 0), Map: reduceAttempt(seq, 0, 0)},
		{Reduce: reduceAttempt(seq, 1, 0), Map: mapAttempt(other, 0, 0)},
		{Reduce: reduceAttempt(seq, 0, 0), Map: mapAttempt(seq, 0, 0)},
	} {
		r.report(&heartbeat.Report{Tracker: a, Attempts: lines, Fetch: []heartbeat.FetchFailure{f, f, f, f}})
		require.Zero(t, r.count(event.TaskReopened), "%+v", f)
	}
}
