package simulator_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/orchestrator"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/trace"
)

// mapsOf returns a job with one map for each of the given durations in ms.
func mapsOf(name string, submit int64, ms ...int64) *trace.Job {
	j := &trace.Job{ID: name, Name: name, Submit: submit, State: job.Succeeded}
	for _, t := range ms {
		j.Maps = append(j.Maps, trace.Map{Time: t})
	}
	return j
}

func contend(t *testing.T, s *simulator.Shares, slots int32, jobs ...*trace.Job) *trace.Result {
	t.Helper()
	c := simulator.Config{Trackers: 1, Slots: [2]int32{slots, 0}, Heartbeat: 1000, WaitForWork: true, Policy: newFIFO(t),
		Shares: s, Seed: 1}
	r, err := simulator.Run(t.Context(), c, (&trace.Trace{Jobs: jobs}).Source())
	require.NoError(t, err)
	return r
}

// TestContentionForCPU checks that two tasks that need a core each but share a single core take
// twice as long until the shorter task ends.
func TestContentionForCPU(t *testing.T) {
	s := &simulator.Shares{Capacity: orchestrator.Vector{1000, 1000},
		Demand: func(string, job.Task) simulator.Demand { return simulator.Demand{CPU: 1000} }}
	r := contend(t, s, 2, mapsOf("a", 0, 10_000, 20_000))
	require.InDelta(t, 30_000, r.Jobs[0].Finish-r.Jobs[0].Start, 50)
	s.Cap = true // with Cap, idle CPU time is lost
	r = contend(t, s, 2, mapsOf("a", 0, 10_000, 20_000))
	require.InDelta(t, 40_000, r.Jobs[0].Finish-r.Jobs[0].Start, 50)
}

// TestContentionForMemory checks that a task that gets half of its memory demand takes longer.
func TestContentionForMemory(t *testing.T) {
	s := &simulator.Shares{Capacity: orchestrator.Vector{2000, 1000}, Demand: func(string, job.Task) simulator.Demand {
		return simulator.Demand{CPU: 500, Memory: 1000, Thrash: 1_000_000}
	}}
	r := contend(t, s, 2, mapsOf("a", 0, 10_000))
	require.InDelta(t, 15_000, r.Jobs[0].Finish-r.Jobs[0].Start, 50)
}

// TestOvercommittedMemory checks that all tasks get less memory if the memory granted to tasks
// exceeds the node's memory.
func TestOvercommittedMemory(t *testing.T) {
	s := &simulator.Shares{Capacity: orchestrator.Vector{2000, 1000}, Memory: 1000,
		Demand: func(string, job.Task) simulator.Demand {
			return simulator.Demand{CPU: 500, Memory: 1000, Thrash: 1_000_000}
		}}
	r := contend(t, s, 2, mapsOf("a", 0, 10_000, 10_000))
	require.InDelta(t, 15_000, r.Jobs[0].Finish-r.Jobs[0].Start, 50)
}

// TestKnownDemands checks that tasks divide the node's memory according to their demands if demands
// are known. A task with a small demand gets all of it, and the other tasks divide the rest.
func TestKnownDemands(t *testing.T) {
	s := &simulator.Shares{Capacity: orchestrator.Vector{2000, 1000}, Known: true,
		Demand: func(name string, _ job.Task) simulator.Demand {
			if name == "small" {
				return simulator.Demand{CPU: 500, Memory: 200, Thrash: 1_000_000}
			}
			return simulator.Demand{CPU: 500, Memory: 1000, Thrash: 1_000_000}
		}}
	r := contend(t, s, 2, mapsOf("small", 0, 20_000), mapsOf("large", 0, 10_000))
	require.Equal(t, "large", r.Jobs[0].Name)
	require.InDelta(t, 12_000, r.Jobs[0].Finish-r.Jobs[0].Start, 50)
}

// TestOrchestrated checks that the orchestrator moves memory to the task that needs it, and that with
// Watch its decisions have no effect.
func TestOrchestrated(t *testing.T) {
	c := orchestrator.DefaultConfig()
	s := &simulator.Shares{Capacity: orchestrator.Vector{4000, 1000}, Orchestrator: &c,
		Demand: func(name string, _ job.Task) simulator.Demand {
			if name == "small" {
				return simulator.Demand{CPU: 100, Memory: 100}
			}
			return simulator.Demand{CPU: 100, Memory: 800, Thrash: 2 * 1_000_000}
		}}
	var decided []orchestrator.Decision
	s.Decided = func(_ int64, d []orchestrator.Decision) { decided = append(decided, d...) }
	run := func() int64 {
		r := contend(t, s, 2, mapsOf("small", 0, 300_000), mapsOf("large", 0, 100_000))
		require.Equal(t, "large", r.Jobs[0].Name)
		return r.Jobs[0].Finish - r.Jobs[0].Start
	}
	with := run()
	require.NotEmpty(t, decided)
	require.Equal(t, orchestrator.Memory, decided[0].Resource)
	s.Watch = true
	watched := run()
	s.Orchestrator = nil
	require.Equal(t, watched, run(), "decisions that are not sent change nothing")
	require.Less(t, with, watched*9/10)
}

func TestSharesAreChecked(t *testing.T) {
	for _, s := range []*simulator.Shares{{},
		{Demand: func(string, job.Task) simulator.Demand { return simulator.Demand{} }}} {
		_, err := simulator.Run(t.Context(), simulator.Config{Trackers: 1, Slots: [2]int32{1, 1}, Policy: newFIFO(t),
			Shares: s}, (&trace.Trace{}).Source())
		require.ErrorContains(t, err, "shares")
	}
}
