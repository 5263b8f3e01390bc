package jobtracker

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
)

// A limit is a fact, then an order that is repeated with every answer; it is lifted when nobody renews it.
func TestLimitsAreLeases(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 2, 1)
	seq := r.submit(spec(2, 0))
	d := r.beat(a)
	require.Len(t, d.Run, 2)
	require.Empty(t, d.Limits)
	first := Limit{Attempt: d.Run[0], CPU: 700, Memory: 300}
	r.step(Input{Kind: InLimits, Millis: 60_000, Limits: []Limit{
		{Attempt: first.Attempt, CPU: 700, Memory: 300, Why: "straggles"}, {Attempt: mapAttempt(seq, 9, 0), CPU: 1}, {Attempt: d.Run[1], CPU: -1}}})
	d = r.report(&Report{Tracker: a, Attempts: says(job.AttemptRunning, d.Run...)})
	require.Equal(t, []Limit{first}, d.Limits)
	run := slices.Clone(d.Run)
	limits := func() []Limit {
		return r.report(&Report{Tracker: a, Attempts: says(job.AttemptRunning, run...)}).Limits
	}
	require.Equal(t, []Limit{first}, limits())
	info, ok := r.m.LimitsOf(first.Attempt)
	require.True(t, ok)
	require.EqualValues(t, 700, info.CPU)
	require.Equal(t, []LimitChange{{Time: r.now, CPU: 700, Memory: 300, Why: "straggles"}}, info.Changes)
	_, ok = r.m.LimitsOf(run[1])
	require.False(t, ok)
	for i := range int32(2 * maxChanges) {
		r.step(Input{Kind: InLimits, Millis: 60_000, Limits: []Limit{{Attempt: run[1], CPU: 1 + i}}})
	}
	info, _ = r.m.LimitsOf(run[1])
	require.Len(t, info.Changes, maxChanges)
	require.EqualValues(t, 2*maxChanges, info.Changes[maxChanges-1].CPU)
	r.step(Input{Kind: InLimits, Millis: 60_000, Limits: []Limit{{Attempt: run[1]}}})
	require.Equal(t, []Limit{first}, limits())

	r.now += 50_000
	r.step(Input{Kind: InLimits, Millis: 60_000}) // renewed
	r.now += 20_000
	r.step(Input{Kind: InTick})
	require.Len(t, limits(), 1)
	r.now += 41_000
	require.LessOrEqual(t, r.m.NextDeadline(), r.now)
	r.step(Input{Kind: InTick})
	require.Empty(t, limits())
}

// The end of the orchestrator lifts all at once, and so does a restart of the JobTracker, whose journal says so.
func TestLimitsEnd(t *testing.T) {
	r := newRig(t)
	a := r.register("a", "h1", "/r", 1, 2, 1)
	r.submit(spec(1, 0))
	run := r.beat(a).Run[0]
	limits := func() []Limit { return r.report(&Report{Tracker: a, Attempts: says(job.AttemptRunning, run)}).Limits }
	r.step(Input{Kind: InLimits, Millis: 60_000, Limits: []Limit{{Attempt: run, Memory: 300}}})
	require.Len(t, limits(), 1)
	r.step(Input{Kind: InLimits})
	require.Empty(t, limits())
	r.step(Input{Kind: InLimits, Millis: 60_000, Limits: []Limit{{Attempt: run, Memory: 300}}})
	r.m.Recovered(r.now, nil)
	info, _ := r.m.AttemptInfo(run)
	require.Zero(t, info.Memory)
}
