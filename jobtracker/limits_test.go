package jobtracker

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/heartbeat"
)

// A limit becomes a fact and then an order, which every reply repeats. The machine lifts a limit
// that is not renewed.
func TestLimitsAreLeases(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 2, 1)
	seq := r.submit(spec(2, 0))
	d := r.beat(a)
	require.Len(t, d.Run, 2)
	require.Empty(t, d.Limits)
	first := heartbeat.Limit{Attempt: d.Run[0], CPU: 700, Memory: 300}
	r.step(Input{Kind: InLimits, Millis: 60_000, Limits: []heartbeat.Limit{
		{Attempt: first.Attempt, CPU: 700, Memory: 300, Why: "straggles"}, {Attempt: mapAttempt(seq, 9, 0), CPU: 1},
		{Attempt: d.Run[1], CPU: -1}}})
	d = r.report(&heartbeat.Report{Tracker: a, Attempts: says(job.AttemptRunning, d.Run...)})
	require.Equal(t, []heartbeat.Limit{first}, d.Limits)
	run := slices.Clone(d.Run)
	limits := func() []heartbeat.Limit {
		return r.report(&heartbeat.Report{Tracker: a, Attempts: says(job.AttemptRunning, run...)}).Limits
	}
	require.Equal(t, []heartbeat.Limit{first}, limits())
	info, ok := r.m.LimitsOf(first.Attempt)
	require.True(t, ok)
	require.EqualValues(t, 700, info.CPU)
	require.Equal(t, []LimitChange{{Time: r.now, CPU: 700, Memory: 300, Why: "straggles"}}, info.Changes)
	_, ok = r.m.LimitsOf(run[1])
	require.False(t, ok)
	for i := range int32(2 * maxChanges) {
		r.step(Input{Kind: InLimits, Millis: 60_000, Limits: []heartbeat.Limit{{Attempt: run[1], CPU: 1 + i}}})
	}
	info, _ = r.m.LimitsOf(run[1])
	require.Len(t, info.Changes, maxChanges)
	require.EqualValues(t, 2*maxChanges, info.Changes[maxChanges-1].CPU)
	r.step(Input{Kind: InLimits, Millis: 60_000, Limits: []heartbeat.Limit{{Attempt: run[1]}}})
	require.Equal(t, []heartbeat.Limit{first}, limits())

	r.now += 50_000
	r.step(Input{Kind: InLimits, Millis: 60_000}) // renewed
	r.now += 20_000
	r.step(Input{Kind: InTick})
	require.Len(t, limits(), 1)
	r.now += 41_000
	require.LessOrEqual(t, r.m.NextDeadline(), r.now)
	r.step(Input{Kind: InTick})
	require.Empty(t, limits())
	info, ok = r.m.LimitsOf(first.Attempt)
	require.True(t, ok, "the limits remain known while the attempt runs")
	require.Equal(t, LimitChange{Time: r.now, Why: "the orchestrator did not renew the limits in time"},
		info.Changes[len(info.Changes)-1])
}

// When the orchestrator ends or the JobTracker restarts, the machine lifts all limits immediately.
func TestLimitsEnd(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 2, 1)
	r.submit(spec(1, 0))
	run := r.beat(a).Run[0]
	limits := func() []heartbeat.Limit {
		return r.report(&heartbeat.Report{Tracker: a, Attempts: says(job.AttemptRunning, run)}).Limits
	}
	r.step(Input{Kind: InLimits, Millis: 60_000, Limits: []heartbeat.Limit{{Attempt: run, Memory: 300}}})
	require.Len(t, limits(), 1)
	r.step(Input{Kind: InLimits})
	require.Empty(t, limits())
	r.step(Input{Kind: InLimits, Millis: 60_000, Limits: []heartbeat.Limit{{Attempt: run, Memory: 300}}})
	r.m.Recovered(r.now, nil)
	info, _ := r.m.AttemptInfo(run)
	require.Zero(t, info.Memory)
}

// If a tracker cannot set the ordered limits, the actual limits become the fact and the new order.
func TestLimitsThatDoNotHold(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	other := r.register("b", "h2", "/r", 1, 1, 1)
	r.submit(spec(1, 0))
	run := r.beat(a).Run[0]
	answer := func(from int32, u ...heartbeat.Unheld) []heartbeat.Limit {
		if from != a {
			return r.report(&heartbeat.Report{Tracker: from, Unheld: u}).Limits
		}
		return slices.Clone(r.report(&heartbeat.Report{Tracker: a, Attempts: says(job.AttemptRunning, run),
			Unheld: u}).Limits)
	}
	ordered := []heartbeat.Limit{{Attempt: run, CPU: 700, Memory: 300}}
	r.step(Input{Kind: InLimits, Millis: 60_000,
		Limits: []heartbeat.Limit{{Attempt: run, CPU: 700, Memory: 300, Why: "gives"}}})
	require.Equal(t, ordered, answer(a))
	for _, late := range []heartbeat.Unheld{{Attempt: run, CPU: 600, Memory: 300}, {Attempt: run, CPU: 700, Memory: 200},
		{Attempt: run}, {Attempt: mapAttempt(9, 9, 9)},
		{Attempt: run, CPU: 700, Memory: 300, HeldCPU: -1}, {Attempt: run, CPU: 700, Memory: 300, HeldMemory: -1},
		{Attempt: run, CPU: 700, Memory: 300, HeldCPU: 700, HeldMemory: 300}} {
		require.Equal(t, ordered, answer(a, late), "%+v", late)
	}
	u := heartbeat.Unheld{Attempt: run, CPU: 700, Memory: 300, HeldCPU: 0, HeldMemory: 500, Why: "400 MiB are in use"}
	answer(other, u)
	require.Equal(t, ordered, answer(a), "it is not that tracker's attempt")
	held := []heartbeat.Limit{{Attempt: run, Memory: 500}}
	require.Equal(t, held, answer(a, u))
	require.Equal(t, held, answer(a, u), "said again it is late")
	info, _ := r.m.LimitsOf(run)
	require.Len(t, info.Changes, 2)
	require.Equal(t, LimitChange{Time: r.now, Memory: 500, Why: "400 MiB are in use"}, info.Changes[1])

	r.step(Input{Kind: InLimits}) // the orchestrator ends
	require.Empty(t, answer(a))
	lift := heartbeat.Unheld{Attempt: run, HeldMemory: 500, Why: "400 MiB are in use"}
	require.Equal(t, held, answer(a, lift))
	require.Equal(t, r.now+unheldMillis, r.m.NextDeadline())
	r.now += unheldMillis + 1
	require.LessOrEqual(t, r.m.NextDeadline(), r.now)
	r.step(Input{Kind: InTick})
	require.Empty(t, answer(a), "what could not be lifted is lifted later")
}

// Only a running attempt has limits, so that pages show none for an attempt that ended with some.
func TestOnlyRunningAttemptsHaveLimits(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 1, 1)
	seq := r.submit(spec(1, 0))
	run := r.beat(a).Run[0]
	r.step(Input{Kind: InLimits, Millis: 60_000, Limits: []heartbeat.Limit{{Attempt: run, CPU: 700, Memory: 300}}})
	limits := func(id job.Attempt) [2]int32 {
		cpu, memory := r.m.Limits(id)
		return [2]int32{cpu, memory}
	}
	require.Equal(t, [2]int32{700, 300}, limits(run))
	require.Zero(t, limits(mapAttempt(seq, 0, 1)), "no such attempt")
	_, ok := r.m.LimitsOf(mapAttempt(seq, 0, 1))
	require.False(t, ok)
	require.True(t, r.m.Kill(run, "x"))
	require.Zero(t, limits(run), "it has ended")
	_, ok = r.m.LimitsOf(run)
	require.False(t, ok)
}
