package orchestrator

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
)

// Usage is the mean of the windows of the last epoch, and what is no longer sampled is forgotten.
func TestLocalProfiles(t *testing.T) {
	l := NewLocal(DefaultConfig(), Vector{2000, 4000})
	a, b := attempt(1, job.Map, 0), attempt(1, job.Map, 1)
	for i := range int64(9) {
		cpu := i * 5000 // one core
		if i > 4 {
			cpu = 20_000 + (i-4)*2500 // half a one for the last four samples
		}
		l.Observe(1000+i*5000, []Sample{{Attempt: a, Start: 1000, Progress: i * 50_000, CPUMillis: cpu, Memory: 100 * i, Allocation: Vector{700, 900}}, {Attempt: b}})
	}
	r := l.Report().Tasks[0]
	require.Equal(t, TaskReport{Attempt: a, Usage: Vector{500, 650}, Allocation: Vector{700, 900}, Elapsed: 40_000, Left: 60_000}, r)
	l.Observe(60_000, []Sample{{Attempt: b}})
	require.Len(t, l.Report().Tasks, 1)
	require.Len(t, l.byID, 1)
}

// Wants answer advice, and only what there is can be wanted.
func TestLocalAnswersAdvice(t *testing.T) {
	c := DefaultConfig()
	c.Estimator = "uniform"
	l := NewLocal(c, Vector{2000, 4000})
	a := attempt(1, job.Map, 0)
	for i := range int64(3) {
		l.Observe(i*5000, []Sample{{Attempt: a, CPUMillis: i * 1000, Memory: 1000, Allocation: Vector{500, 1000}}})
	}
	require.Zero(t, l.Report().Tasks[0].Answers)
	l.Hear([]Advice{{Attempt: a, Epoch: 7, Mean: Vector{300, 900}, Pressed: true}, {Attempt: attempt(9, job.Map, 9)}})
	r := l.Report().Tasks[0]
	require.EqualValues(t, 7, r.Answers)
	require.Equal(t, Vector{300, 1125}, r.Want, "the mean; of memory a step more, because it presses against its limit")
	l.Hear([]Advice{{Attempt: a, Epoch: 8, Mean: Vector{300, 200}, Pressed: true}})
	require.Equal(t, Vector{300, 1000}, l.Report().Tasks[0].Want, "what it was launched with, if it gave of that")
	l.Hear([]Advice{{Attempt: a, Epoch: 9, Mean: Vector{math.MaxInt64, math.MaxInt64}}})
	require.Equal(t, Vector{2000, 4000}, l.Report().Tasks[0].Want)
}

// Without lending a node has as much memory to move as its tasks were launched with, whatever became of it since.
func TestMemoryOfEmptySlots(t *testing.T) {
	c := DefaultConfig()
	for lend, want := range map[bool]int64{true: 4000, false: 1000} {
		c.Lend = lend
		l := NewLocal(c, Vector{2000, 4000})
		for i := range int64(2) {
			l.Observe(i*5000, []Sample{{Attempt: attempt(1, job.Map, 0), Allocation: Vector{500, 600 + 100*i}}, {Attempt: attempt(1, job.Map, 1), Allocation: Vector{500, 400}}})
		}
		require.Equal(t, Vector{2000, want}, l.Report().Capacity)
	}
}

// Wild samples: clocks and counters that go back or jump, and values that cannot be, do not lead to values that cannot be.
func TestWildSamples(t *testing.T) {
	c := DefaultConfig()
	c.History = 4
	l := NewLocal(c, Vector{2000, 4000})
	a := attempt(1, job.Map, 0)
	for i, s := range []Sample{
		{CPUMillis: -5, Memory: -1}, {CPUMillis: 1 << 50, Memory: math.MaxInt64}, {CPUMillis: 3, Start: 1 << 50}, {Progress: -7}, {Progress: math.MaxInt64},
		{Start: -1 << 50, CPUMillis: math.MaxInt64}, {CPUMillis: math.MinInt64}, {CPUMillis: 10, Memory: 50}, {CPUMillis: 20, Memory: 50}, {CPUMillis: 30, Memory: 50},
		{CPUMillis: 1 << 54}, {CPUMillis: 1 << 55},
	} {
		s.Attempt = a
		l.Observe(int64(i)*5000, []Sample{s, s})
		l.Hear([]Advice{{Attempt: a, Epoch: int64(i), Target: int64(i) * 1000}})
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
	c.Epoch = 1000
	require.ErrorContains(t, c.Validate(), "epoch")
	c = DefaultConfig()
	c.Estimator = "magic"
	require.ErrorContains(t, c.Validate(), "magic")
}
