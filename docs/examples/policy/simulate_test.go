package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/fifo"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/trace/generate"
)

// TestInTheSimulator runs the policy on a simulated cluster of 16 nodes. The mean response time is
// shorter than under FIFO.
func TestInTheSimulator(t *testing.T) {
	meanSeconds := func(name string, newPolicy scheduler.New) float64 {
		policy, err := newPolicy(scheduler.Setup{Conf: conf.New()})
		require.NoError(t, err)
		jobs := generate.TestbedLike(30, generate.Poisson(60_000), 1)
		result, err := simulator.Run(t.Context(), simulator.Config{
			Trackers: 16, Slots: [2]int32{2, 2}, WaitForWork: true, Seed: 1, Scheduler: name, Policy: policy,
		}, jobs)
		require.NoError(t, err)
		var sum int64
		for _, j := range result.Jobs {
			sum += j.Finish - j.Submit
		}
		mean := float64(sum) / 1000 / float64(len(result.Jobs))
		t.Logf("%s: mean job time %.0f s", name, mean)
		return mean
	}
	require.Less(t, meanSeconds("sjf", newShortestFirst), meanSeconds("fifo", fifo.New))
}
