package orchestrator

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/heartbeat"
)

// TestLocalProfiles checks that the reported usage is the mean of the windows of the last epoch. It
// also checks that Local drops a task without samples.
func TestLocalProfiles(t *testing.T) {
	l := NewLocal(DefaultConfig(), Vector{2000, 4000})
	a, b := attempt(1, job.Map, 0), attempt(1, job.Map, 1)
	for i := range int64(9) {
		cpu := i * 5000 // one core
		if i > 4 {
			cpu = 20_000 + (i-4)*2500 // half a core in the last four samples
		}
		l.Observe(1000+i*5000, []Sample{{Attempt: a, Start: 1000, Progress: i * 50_000, CPUMillis: cpu, Memory: 100 * i,
			Allocation: Vector{700, 900}}, {Attempt: b}})
	}
	r := l.Report().Tasks[0]
	require.Equal(t, heartbeat.TaskShare{Attempt: a, Usage: Vector{500, 650}, Allocation: Vector{700, 900},
		Elapsed: 40_000, Left: 60_000}, r)
	l.Observe(60_000, []Sample{{Attempt: b}})
	require.Len(t, l.Report().Tasks, 1)
	require.Len(t, l.byID, 1)
}

// TestLocalAnswersAdvice checks that estimates answer the latest advice and never exceed the node's
// capacity.
func TestLocalAnswersAdvice(t *testing.T) {
	c := DefaultConfig()
	c.Estimator = "uniform"
	l := NewLocal(c, Vector{2000, 4000})
	a := attempt(1, job.Map, 0)
	for i := range int64(3) {
		l.Observe(i*5000, []Sample{{Attempt: a, CPUMillis: i * 1000, Memory: 1000, Allocation: Vector{500, 1000}}})
	}
	require.Zero(t, l.Report().Tasks[0].Answers)
	l.Hear([]heartbeat.Advice{{Attempt: a, Epoch: 7, Mean: Vector{300, 900}, Pressed: true},
		{Attempt: attempt(9, job.Map, 9)}})
	r := l.Report().Tasks[0]
	require.EqualValues(t, 7, r.Answers)
	require.Equal(t, Vector{300, 1125}, r.Want, "the mean; of memory a step more, because it presses against its limit")
	l.Hear([]heartbeat.Advice{{Attempt: a, Epoch: 8, Mean: Vector{300, 200}, Pressed: true}})
	require.Equal(t, Vector{300, 1000}, l.Report().Tasks[0].Want, "what it was launched with, if it gave of that")
	l.Hear([]heartbeat.Advice{{Attempt: a, Epoch: 9, Mean: Vector{math.MaxInt64, math.MaxInt64}}})
	require.Equal(t, Vector{2000, 4000}, l.Report().Tasks[0].Want)
}

// TestMemoryOfEmptySlots checks that without Lend, a node can distribute only the memory with which
// its tasks were launched, whatever their current limits.
func TestMemoryOfEmptySlots(t *testing.T) {
	c := DefaultConfig()
	for lend, want := range map[bool]int64{true: 4000, false: 1000} {
		c.Lend = lend
		l := NewLocal(c, Vector{2000, 4000})
		for i := range int64(2) {
			l.Observe(i*5000, []Sample{{Attempt: attempt(1, job.Map, 0), Allocation: Vector{500, 600 + 100*i}},
				{Attempt: attempt(1, job.Map, 1), Allocation: Vector{500, 400}}})
		}
		require.Equal(t, Vector{2000, want}, l.Report().Capacity)
	}
}

// TestSamplesOfOneMoment checks that two samples with the same time produce no rate.
func TestSamplesOfOneMoment(t *testing.T) {
	c := DefaultConfig()
	c.Window = 2
	h := new(history)
	h.add(&c, 1000, 0, 0, Vector{2000, 4000})
	h.add(&c, 1000, 500, 0, Vector{2000, 4000})
	require.Zero(t, h.count)
	h.add(&c, 2000, 500, 0, Vector{2000, 4000})
	require.Equal(t, 1, h.count)
	require.EqualValues(t, 500, h.sum[CPU])
}

// TestObserveTwice checks that a second call at the same time drops no tasks.
func TestObserveTwice(t *testing.T) {
	l := NewLocal(DefaultConfig(), Vector{2000, 4000})
	for range 2 {
		l.Observe(1000, []Sample{{Attempt: attempt(1, job.Map, 0)}})
		require.Len(t, l.Report().Tasks, 1)
	}
}

// TestWildSamples checks that invalid samples do not lead to invalid values. Their clocks and
// counters go back or jump, or values are out of range.
func TestWildSamples(t *testing.T) {
	c := DefaultConfig()
	c.History = 4
	l := NewLocal(c, Vector{2000, 4000})
	a := attempt(1, job.Map, 0)
	for i, s := range []Sample{
		{CPUMillis: -5, Memory: -1}, {CPUMillis: 1 << 50, Memory: math.MaxInt64}, {CPUMillis: 3, Start: 1 << 50},
		{Progress: -7}, {Progress: math.MaxInt64},
		{Start: -1 << 50, CPUMillis: math.MaxInt64}, {CPUMillis: math.MinInt64}, {CPUMillis: 10, Memory: 50},
		{CPUMillis: 20, Memory: 50}, {CPUMillis: 30, Memory: 50}, {CPUMillis: 1 << 54}, {CPUMillis: 1 << 55},
	} {
		s.Attempt = a
		l.Observe(int64(i)*5000, []Sample{s, s})
		l.Hear([]heartbeat.Advice{{Attempt: a, Epoch: int64(i), Target: int64(i) * 1000}})
		require.Len(t, l.Report().Tasks, 1)
		r := l.Report().Tasks[0]
		for k := range NumResources {
			require.True(t, r.Usage[k] >= 0 && r.Usage[k] <= l.capacity[k], "%v", r)
			require.True(t, r.Want[k] >= 0 && r.Want[k] <= l.capacity[k], "%v", r)
		}
		require.GreaterOrEqual(t, r.Left, int64(0))
	}
}

func TestConfig(t *testing.T) {
	c := DefaultConfig()
	require.NoError(t, c.Validate())
	c.Epoch = c.Sample
	require.NoError(t, c.Validate())
	c.Epoch = 1000
	require.ErrorContains(t, c.Validate(), "epoch")
	c = DefaultConfig()
	c.Estimator = "magic"
	require.ErrorContains(t, c.Validate(), "magic")
}

// TestEndsOfRanges checks that Validate accepts both ends of a range and nothing beyond them. The
// keys count alpha in percent, but Config counts it in millionths.
func TestEndsOfRanges(t *testing.T) {
	for name, x := range map[string]struct {
		set       func(*Config, int64)
		low, high int64
	}{
		"window": {func(c *Config, v int64) { c.Window = int(v) }, 1, 1000},
		"alpha":  {func(c *Config, v int64) { c.MaxAlpha[Memory] = v }, Million, 100 * Million},
	} {
		for v, good := range map[int64]bool{x.low - 1: false, x.low: true, x.high: true, x.high + 1: false} {
			c := DefaultConfig()
			x.set(&c, v)
			require.Equal(t, good, c.Validate() == nil, "%s %d", name, v)
		}
	}
}

func TestLeftIsUnknownAtTheStart(t *testing.T) {
	require.Zero(t, Left(Million/2, 0))
	require.EqualValues(t, 1, Left(Million/2, 1))
}
