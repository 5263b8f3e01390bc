package tasktracker

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
)

// driver drives a machine without a script.
type driver struct {
	m   *Machine
	now int64
	out []Output
}

func (d *driver) step(in Input) []Output {
	in.Now = d.now
	d.out = d.m.Step(&in, d.out[:0])
	return d.out
}

// started returns the driver of a machine that runs n maps of job 1 on children 1 to n. The
// heartbeat after the registration has been acknowledged.
func started(n int32) *driver {
	d := &driver{m: New(Config{Slots: [2]int32{n, 1}, KillDelay: 5000, Retry: 100, MaxRetry: 2000}), now: 1000}
	d.step(Input{})
	d.step(Input{Kind: InRegistered, Tracker: 1, Cluster: "c"})
	d.step(Input{Kind: InDesired, Desired: desired(d.m.seq, n)})
	d.step(Input{Kind: InJobReady, Job: 1, JobInfo: JobInfo{Timeout: 600_000, TasksPerChild: 1}})
	return d
}

func desired(seq uint64, n int32) *heartbeat.Desired {
	out := &heartbeat.Desired{Seq: seq, Interval: 1000, Jobs: []int32{1}}
	for i := range n {
		out.Run = append(out.Run, job.Attempt{Task: job.Task{Job: 1, Index: i}})
	}
	return out
}

// A launch contains the offset of the map's split, which is 0 if the JobTracker sends none.
func TestLaunchOffset(t *testing.T) {
	d := &driver{m: New(Config{Slots: [2]int32{2, 1}})}
	d.step(Input{})
	d.step(Input{Kind: InRegistered, Tracker: 1, Cluster: "c"})
	want := desired(d.m.seq, 2)
	want.Offsets = []int64{70}
	d.step(Input{Kind: InDesired, Desired: want})
	got := map[int32]int64{}
	for _, o := range d.step(Input{Kind: InJobReady, Job: 1, JobInfo: JobInfo{Timeout: 600_000, TasksPerChild: 1}}) {
		if o.Kind == OutLaunch {
			got[o.Attempt.Index] = o.Offset
		}
	}
	require.Equal(t, map[int32]int64{0: 70, 1: 0}, got)
}

func TestStepAppends(t *testing.T) {
	m := New(Config{Slots: [2]int32{1, 1}})
	out := m.Step(&Input{Now: 1}, []Output{{Kind: OutStopped, Text: "kept"}})
	require.Len(t, out, 2)
	require.Equal(t, "kept", out[0].Text)
	require.Equal(t, OutRegister, out[1].Kind)
}

func TestTimeNeverGoesBack(t *testing.T) {
	d := started(1)
	d.now = 5000
	d.step(Input{Kind: InDesired, Desired: desired(d.m.seq, 1)})
	d.now = 1000
	d.step(Input{})
	require.Equal(t, int64(5000), d.m.now)
}

func TestCut(t *testing.T) {
	require.Equal(t, "short", cut("short", 5))
	require.Equal(t, "shor", cut("short", 4))
	require.Equal(t, "", cut("€", 2))
	require.Equal(t, "a", cut("a€", 3))
	require.Equal(t, "a€", cut("a€b", 4))
	require.Equal(t, "", cut("\x80\x80\x80", 2))
}

func TestTextsAreBounded(t *testing.T) {
	d := started(1)
	long := strings.Repeat("x", MaxText+1)
	d.step(Input{Kind: InProgress, Child: 1, Progress: &Progress{Status: long}})
	require.Len(t, d.m.attempts[0].report.Status, MaxStatus)
	d.step(Input{Kind: InFailed, Child: 1, Text: long})
	require.Len(t, d.m.attempts[0].report.Text, MaxText)

	d = &driver{m: New(Config{Slots: [2]int32{1, 1}})}
	d.step(Input{})
	d.step(Input{Kind: InRegistered})
	d.step(Input{Kind: InDesired, Desired: desired(1, 1)})
	d.step(Input{Kind: InJobRefused, Job: 1, Text: long})
	require.Len(t, d.m.jobs[0].text, MaxText)
}

// TestTheNodesFault checks that an attempt counts as killed, not failed, if its node is at fault.
func TestTheNodesFault(t *testing.T) {
	for _, kind := range []InputKind{InFailed, InExited} {
		for k, want := range map[failure.Kind]job.AttemptState{failure.Node: job.AttemptKilled,
			failure.OutOfMemory: job.AttemptFailed, failure.User: job.AttemptFailed} {
			d := started(1)
			d.step(Input{Kind: kind, Child: 1, Failure: k, Text: "why"})
			require.Equal(t, want, d.m.attempts[0].report.State)
			require.Equal(t, k, d.m.attempts[0].report.Kind)
		}
	}
}

func TestProgressIsBounded(t *testing.T) {
	d := started(1)
	r := &d.m.attempts[0].report
	for _, e := range []struct{ say, want int32 }{{-5, 0}, {10, 10}, {7, 10}, {2_000_000, 1_000_000}, {5, 1_000_000}} {
		d.step(Input{Kind: InProgress, Child: 1, Progress: &Progress{Millionths: e.say, Phase: job.PhaseSort, ShuffleDone: 3,
			SortDone: 4}})
		require.Equal(t, e.want, r.Progress, "after %d", e.say)
	}
	require.Equal(t, job.PhaseSort, r.Phase)
	require.Equal(t, []int64{3, 4}, []int64{r.ShuffleDone, r.SortDone})
	d.step(Input{Kind: InProgress, Child: 1}) // an empty message
	require.Equal(t, job.PhaseSort, r.Phase)
}

func TestCountersOfAChild(t *testing.T) {
	d := started(1)
	a := d.m.attempts[0]
	say := func(user ...job.UserCounter) {
		d.step(Input{Kind: InProgress, Child: 1, Progress: &Progress{User: user}})
	}
	say(job.UserCounter{Group: "b", Name: "x", Value: 1}, job.UserCounter{Group: "a", Name: "y", Value: 2},
		job.UserCounter{Group: "a", Name: "x", Value: 3})
	say(job.UserCounter{Group: "a", Name: "y", Value: 5}, job.UserCounter{Group: "b", Name: "w", Value: 6})
	require.Equal(t, []job.UserCounter{{Group: "a", Name: "x", Value: 3}, {Group: "a", Name: "y", Value: 5},
		{Group: "b", Name: "w", Value: 6}, {Group: "b", Name: "x", Value: 1}}, a.counters.User)
	before := a.version
	d.step(Input{Kind: InProgress, Child: 1,
		Progress: &Progress{Builtin: []BuiltinValue{{job.NumCounters, 1}, {job.NumCounters - 1, 9}}}})
	require.Equal(t, int64(9), a.counters.Builtin[job.NumCounters-1])
	require.Equal(t, before+1, a.version)
	d.step(Input{Kind: InProgress, Child: 1, Progress: &Progress{}})
	require.Equal(t, before+1, a.version, "nothing changed")

	var many []job.UserCounter
	for i := range MaxUserCounters + 10 {
		many = append(many, job.UserCounter{Group: "z", Name: fmt.Sprintf("%06d", i), Value: 1})
	}
	say(many...)
	require.Len(t, a.counters.User, MaxUserCounters)
	say(job.UserCounter{Group: "z", Name: "000000", Value: 77})
	v, ok := a.counters.Get("z", "000000")
	require.True(t, ok)
	require.Equal(t, int64(77), v, "a counter that is known can still change")

	d = started(1)
	a = d.m.attempts[0]
	for i := range 3 {
		say(job.UserCounter{Group: "g", Name: fmt.Sprint(i, strings.Repeat("x", MaxCounterNames/2-10)), Value: 1})
	}
	require.Len(t, a.counters.User, 2, "the names of counters occupy bounded memory")
}

func TestFetchFailuresAreBounded(t *testing.T) {
	d := started(1)
	d.now = 3000
	d.step(Input{}) // a heartbeat is in flight from here on
	for i := range int32(MaxFetch + 5) {
		d.step(Input{Kind: InFetchFailed, Child: 1, Map: job.Attempt{Task: job.Task{Job: 1, Index: i}}})
	}
	require.Len(t, d.m.fetch, MaxFetch)
}

func TestManifestIsCopied(t *testing.T) {
	d := started(1)
	files := []job.OutputFile{{Name: "part-r-00000"}}
	d.step(Input{Kind: InDone, Child: 1, Files: files})
	files[0].Name = "overwritten"
	require.Equal(t, "part-r-00000", d.m.attempts[0].report.Manifest[0].Name)
}

func TestView(t *testing.T) {
	d := started(3)
	d.step(Input{Kind: InHealth, Text: "ill"})
	d.step(Input{Kind: InProgress, Child: 1, Progress: &Progress{Phase: job.PhaseMap, Millionths: 5, Status: "s"}})
	d.step(Input{Kind: InFailed, Child: 2, Failure: failure.User, Text: "it broke"})
	d.step(Input{Kind: InShed, Text: "no space"})
	a := func(i int32) job.Attempt { return job.Attempt{Task: job.Task{Job: 1, Index: i}} }
	require.Equal(t, View{Registered: true, Slots: [2]int32{3, 1}, Used: [2]int32{2, 0}, Unhealthy: "ill",
		Attempts: []AttemptView{
			{Attempt: a(0), State: job.AttemptRunning, Phase: job.PhaseMap, Progress: 5, Child: 1, Status: "s"},
			{Attempt: a(1), State: job.AttemptFailed, Text: "it broke"},
			{Attempt: a(2), State: job.AttemptRunning, Child: 3, Text: "no space"},
		}, Ended: Ended{Failed: 1}}, d.m.View())
	d.step(Input{Kind: InExited, Child: 3})
	require.Equal(t, Ended{Failed: 1, Killed: 1}, d.m.View().Ended)
	d.now += 600_000
	d.step(Input{})
	d.step(Input{Kind: InExited, Child: 1})
	require.Equal(t, Ended{Failed: 2, Killed: 1, TimedOut: 1}, d.m.View().Ended)

	d = &driver{m: New(Config{Slots: [2]int32{1, 1}})}
	d.step(Input{})
	d.step(Input{Kind: InRegistered})
	reduce := job.Attempt{Task: job.Task{Job: 1, Type: job.Reduce}}
	d.step(Input{Kind: InDesired, Desired: &heartbeat.Desired{Seq: 1, Run: []job.Attempt{reduce}}})
	require.Equal(t, job.AttemptAssigned, d.m.View().Attempts[0].State)
	require.Equal(t, [2]int32{}, d.m.View().Used)
	d.step(Input{Kind: InJobReady, Job: 1})
	require.Equal(t, [2]int32{0, 1}, d.m.View().Used)
	d.step(Input{Kind: InDone, Child: 1})
	require.Equal(t, Ended{Succeeded: 1}, d.m.View().Ended)

	d = started(1)
	d.step(Input{Kind: InNews})
	d.step(Input{Kind: InDesired, Desired: desired(d.m.seq, 0)})
	require.Equal(t, Ended{}, d.m.View().Ended)
	d.step(Input{Kind: InExited, Child: 1})
	require.Equal(t, Ended{Killed: 1}, d.m.View().Ended)
	d.step(Input{Kind: InNews})
	d.step(Input{Kind: InDesired, Desired: desired(d.m.seq, 1)})
	require.Equal(t, job.AttemptKilled, d.m.View().Attempts[0].State)
	require.Equal(t, Ended{Killed: 1}, d.m.View().Ended, "desired again after its end")
}

func TestNames(t *testing.T) {
	for k := range numInputKinds {
		require.NotEmpty(t, k.String())
	}
	for k := range numOutputKinds {
		require.NotEmpty(t, k.String())
	}
	require.Equal(t, "unknown", numInputKinds.String())
	require.Equal(t, "unknown", numOutputKinds.String())
}

// BenchmarkBeat measures a heartbeat without changes, the most frequent work of a tracker.
func BenchmarkBeat(b *testing.B) {
	for _, n := range []int32{4, 100} {
		b.Run(fmt.Sprintf("attempts=%d", n), func(b *testing.B) {
			d := started(n)
			answer := desired(0, n)
			b.ReportAllocs()
			for b.Loop() {
				d.now += 1000
				d.step(Input{})
				answer.Seq = d.m.seq
				d.step(Input{Kind: InDesired, Desired: answer})
			}
		})
	}
}

func BenchmarkProgress(b *testing.B) {
	d := started(4)
	p := &Progress{Phase: job.PhaseMap, Millionths: 1000, Builtin: []BuiltinValue{{job.MapInputRecords, 1},
		{job.MapOutputRecords, 2}}, Alive: true}
	b.ReportAllocs()
	for b.Loop() {
		d.step(Input{Kind: InProgress, Child: 2, Progress: p})
	}
}

// BenchmarkAttempt measures a map from its launch to its end.
func BenchmarkAttempt(b *testing.B) {
	d := started(1)
	child, index := int32(1), int32(0)
	b.ReportAllocs()
	for b.Loop() {
		d.now++
		d.step(Input{Kind: InDone, Child: child})
		d.step(Input{Kind: InExited, Child: child})
		index++
		child++
		d.step(Input{Kind: InDesired, Desired: &heartbeat.Desired{Seq: d.m.seq, Interval: 1000, Jobs: []int32{1},
			Run: []job.Attempt{{Task: job.Task{Job: 1, Index: index}}}}})
		if index%1000 == 0 { // real jobs end, and their sets of dropped attempts with them
			b.StopTimer()
			d = started(1)
			child, index = 1, 0
			b.StartTimer()
		}
	}
}

// TestMoreAttemptsThanSlots checks a policy that places tasks by memory and desires more tasks than
// there are slots. A dying attempt must still count as busy.
func TestMoreAttemptsThanSlots(t *testing.T) {
	d := started(1) // one attempt on two slots
	answer := func(first, n int32, containers bool) (count int) {
		d.now += 1000
		d.step(Input{}) // sends a heartbeat
		next := desired(d.m.seq, n)
		next.Run, next.Containers = next.Run[first:], containers
		d.step(Input{Kind: InDesired, Desired: next})
		for _, a := range d.m.attempts {
			if a.stage == running {
				count++
			}
		}
		return count
	}
	require.Equal(t, 2, answer(0, 5, false), "slots bound them")
	require.Equal(t, 5, answer(0, 5, true))
	require.Equal(t, 4, answer(1, 6, true), "the last waits for the first to die")
	d.step(Input{Kind: InExited, Child: 1})
	require.Equal(t, 5, answer(1, 6, true))
	d.step(Input{Kind: InShed})
	require.Equal(t, 4, answer(1, 7, true), "the last waits for the one that was shed, which is still desired")
}

// TestRecordsInHand checks that the next heartbeat contains the records that an attempt in skipping
// mode is processing. Each record also counts as progress, so the attempt does not time out.
func TestRecordsInHand(t *testing.T) {
	d := started(1)
	d.now += 500_000
	inHand := job.Range{Start: 7, Length: 2}
	out := d.step(Input{Kind: InInHand, Child: 1, Range: inHand})
	require.Equal(t, OutBeat, out[0].Kind, "a heartbeat is due")
	require.Equal(t, inHand, out[0].Report.Attempts[0].Range)
	timeout := d.now + 600_000
	d.now = timeout - 1
	d.step(Input{})
	require.Empty(t, d.m.View().Attempts[0].Text)
	d.now = timeout
	d.step(Input{})
	require.Contains(t, d.m.View().Attempts[0].Text, "failed to report status for 600 seconds")
}

// TestNoWarmChildrenWhileItIsDrained checks that a draining TaskTracker starts no warm children.
func TestNoWarmChildrenWhileItIsDrained(t *testing.T) {
	d := started(1)
	d.m.conf.Warm = 2
	children := func(draining bool) int {
		d.now += 1000
		d.step(Input{}) // sends a heartbeat
		next := desired(d.m.seq, 1)
		next.Draining = draining
		d.step(Input{Kind: InDesired, Desired: next})
		require.Equal(t, draining, d.m.View().Draining)
		return len(d.m.children)
	}
	d.m.draining = true
	require.Equal(t, 1, children(true))
	require.Equal(t, 3, children(false))
}

// TestShares checks that the next heartbeat contains the share manager's measurements, and the
// shares only once. The manager must receive the limits and advice of the response.
func TestShares(t *testing.T) {
	m := New(Config{Slots: [2]int32{1, 1}, Shares: true})
	step := func(in Input) []Output { return m.Step(&in, nil) }
	a := job.Attempt{Task: job.Task{Job: 1}}
	s := &heartbeat.Shares{Capacity: heartbeat.Vector{1000, 2000}, Tasks: []heartbeat.TaskShare{{Attempt: a, Left: 5}}}
	unheld := []heartbeat.Unheld{{Attempt: a, CPU: 7}}
	step(Input{Kind: InLoad, OtherLoad: 300_000})
	step(Input{Kind: InShares, Shares: s})
	step(Input{Kind: InUnheld, Unheld: unheld})
	s.Tasks[0].Left = 6 // the machine must not retain pointers from inputs
	out := step(Input{Kind: InRegistered})
	require.Equal(t, OutBeat, out[0].Kind)
	r := out[0].Report
	require.EqualValues(t, 300_000, r.OtherLoad)
	require.Equal(t, unheld, r.Unheld)
	require.Equal(t, &heartbeat.Shares{Capacity: s.Capacity, Tasks: []heartbeat.TaskShare{{Attempt: a, Left: 5}}},
		r.Shares)

	d := &heartbeat.Desired{Seq: 1, Interval: 10, Limits: []heartbeat.Limit{{Attempt: a, CPU: 500}}}
	require.Equal(t, []Output{{Kind: OutShares, Desired: d}}, step(Input{Kind: InDesired, Desired: d}))
	out = step(Input{Kind: InTick, Now: 10})
	require.Nil(t, out[0].Report.Shares, "a report contains the shares once")
	require.Equal(t, unheld, out[0].Report.Unheld, "reported until the limit holds")
	require.NotEqual(t, OutShares, step(Input{Kind: InDesired, Desired: d, Now: 10})[0].Kind, "an answer to an old beat")
}
