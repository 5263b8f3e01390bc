package orchestrator

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/heartbeat"
)

// decide runs one round for the tasks of one node and returns the decisions.
func decide(capacity Vector, waits Waits, tasks ...heartbeat.TaskShare) []Decision {
	g := NewGlobal(DefaultConfig(), 0)
	g.Hear(0, 1, &heartbeat.Shares{Capacity: capacity, Tasks: tasks})
	g.Tick(20_000, waits, nil)
	for i := range tasks {
		tasks[i].Answers = 1
	}
	g.Hear(25_000, 1, &heartbeat.Shares{Capacity: capacity, Tasks: tasks})
	return g.Tick(30_000, waits, nil)
}

// TestMemoryBeforeItIsNeeded checks Algorithm 1, line 2: a task with growing memory usage gets more
// memory before it reaches its limit.
func TestMemoryBeforeItIsNeeded(t *testing.T) {
	grows := heartbeat.TaskShare{Attempt: attempt(1, job.Map, 0), Usage: Vector{100, 200}, Allocation: Vector{500, 300},
		Want: Vector{100, 450}}
	rests := heartbeat.TaskShare{Attempt: attempt(2, job.Map, 0), Usage: Vector{100, 100}, Allocation: Vector{500, 300},
		Want: Vector{100, 100}}
	require.Equal(t, []Decision{
		{Attempt: grows.Attempt, Tracker: 1, Resource: Memory, From: 300, To: 450, Reason: "uses 200MiB, soon 450MiB"},
		{Attempt: rests.Attempt, Tracker: 1, Resource: Memory, From: 300, To: 150, Reason: "gives to task m_000000 of job 1"},
	}, decide(Vector{1000, 600}, nil, grows, rests))
}

// TestNodeWithoutFreeMemory checks that a donor gives no more than another task needs, even if the
// limits of the tasks exceed the node's memory.
func TestNodeWithoutFreeMemory(t *testing.T) {
	grows := heartbeat.TaskShare{
		Attempt: attempt(1, job.Map, 0), Usage: Vector{100, 200}, Allocation: Vector{500, 300}, Want: Vector{100, 400},
	}
	rests := heartbeat.TaskShare{
		Attempt: attempt(2, job.Map, 0), Usage: Vector{100, 100}, Allocation: Vector{500, 300}, Want: Vector{100, 100},
	}
	require.Equal(t, []Decision{
		{Attempt: grows.Attempt, Tracker: 1, Resource: Memory, From: 300, To: 400, Reason: "uses 200MiB, soon 400MiB"},
		{Attempt: rests.Attempt, Tracker: 1, Resource: Memory, From: 300, To: 200, Reason: "gives to task m_000000 of job 1"},
	}, decide(Vector{1000, 580}, nil, grows, rests))
}

// slow is a task that lags behind its sibling on a node that is short of CPU.
var (
	slow = heartbeat.TaskShare{Attempt: attempt(1, job.Map, 0), Usage: Vector{400, 100}, Allocation: Vector{500, 300},
		Left: 90_000, Want: Vector{600, 100}}
	fast = heartbeat.TaskShare{Attempt: attempt(1, job.Map, 1), Usage: Vector{400, 100}, Allocation: Vector{500, 300},
		Left: 50_000, Want: Vector{300, 100}}
)

// TestIdleCPUIsNotGiven checks that an unused CPU weight does not move. No other task would gain
// from it, and the task would miss it later.
func TestIdleCPUIsNotGiven(t *testing.T) {
	idle := heartbeat.TaskShare{Attempt: attempt(2, job.Reduce, 0), Usage: Vector{0, 100}, Allocation: Vector{500, 300},
		Want: Vector{1, 100}}
	d := decide(Vector{840, 900}, nil, slow, fast, idle)
	require.NotEmpty(t, d)
	for _, x := range d {
		require.NotEqual(t, idle.Attempt, x.Attempt, "%v", x)
	}
}

// TestWeightsAreNotLost checks rounding on a node where each of many tasks has a small fraction of
// a core. A task that is short of CPU must not get less, and the sum of all weights must not change
// by more than the rounding.
func TestWeightsAreNotLost(t *testing.T) {
	for capacity := int64(160); capacity < 2000; capacity += 37 {
		tasks := make([]heartbeat.TaskShare, 16)
		for i := range tasks {
			tasks[i] = heartbeat.TaskShare{Attempt: attempt(1, job.Map, int32(i)), Usage: Vector{capacity / 16, 100},
				Allocation: Vector{1000, 300},
				Elapsed:    10_000, Left: 50_000 + 10_000*int64(i), Want: Vector{capacity / 10, 100}}
		}
		sum := int64(0)
		d := decide(Vector{capacity, 16 * 300}, nil, tasks...)
		for _, x := range d {
			sum += x.To - x.From
			if !strings.HasPrefix(x.Reason, "gives") {
				require.Greater(t, x.To, x.From, "%d: %+v", capacity, x)
			}
		}
		require.InDelta(t, 0, sum, float64(len(d)), "%d: rounded once each", capacity)
	}
}

// TestTasksThatWereNotMeasured checks that a task without a measurement does not count as a task
// without usage. It does not lower the mean and has no deficit.
func TestTasksThatWereNotMeasured(t *testing.T) {
	fresh := heartbeat.TaskShare{Attempt: attempt(1, job.Map, 2), Allocation: Vector{500, 300}}
	g := NewGlobal(DefaultConfig(), 0)
	g.Hear(0, 1, &heartbeat.Shares{Capacity: Vector{800, 900}, Tasks: []heartbeat.TaskShare{slow, fast, fresh}})
	g.Tick(20_000, nil, nil)
	for _, a := range g.Advice(1, nil) {
		require.Equal(t, Vector{400, 100}, a.Mean)
		if a.Attempt == fresh.Attempt {
			require.Equal(t, [NumResources]heartbeat.Verdict{}, a.Verdict)
		}
	}
}

// TestPhaseThatWaitsGives checks that a task gives away CPU while other tasks of its phase wait for
// a slot. Slowing down the task does not delay its job.
func TestPhaseThatWaitsGives(t *testing.T) {
	other := heartbeat.TaskShare{Attempt: attempt(2, job.Map, 0), Usage: Vector{400, 100}, Allocation: Vector{500, 300},
		Left: 70_000, Want: Vector{400, 100}}
	lowered := func(waits Waits) int64 {
		for _, d := range decide(Vector{1200, 900}, waits, slow, fast, other) {
			if d.Attempt == other.Attempt {
				return d.From - d.To
			}
		}
		return 0
	}
	require.Zero(t, lowered(nil), "it is its job's slowest")
	require.Positive(t, lowered(func(seq int32, _ job.TaskType) bool { return seq == 2 }))
}
