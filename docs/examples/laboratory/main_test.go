package main

import (
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments/scenario"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/weighttest"
	"github.com/howdah/howdah/orchestrator"
)

// TestWeights runs the conformance suite.
func TestWeights(t *testing.T) {
	weighttest.Run(t, func() mrcluster.Weighting {
		w, err := perSlot.New(conf.New())
		require.NoError(t, err)
		return w
	})
	c := conf.New()
	c.Set(keyWaiting, "50", "test")
	w, err := perSlot.New(c)
	require.NoError(t, err)
	require.Equal(t, 2.5, w.Weigh(&mrcluster.Sample{WaitingTasks: 20, Slots: 4}))
}

// TestWorkload checks that the workload depends only on its arguments.
func TestWorkload(t *testing.T) {
	read := func(seed uint64) (maps []int, last int64) {
		for src := waves(10, nil, seed); ; {
			j, err := src.Next()
			if err == io.EOF {
				return maps, last
			}
			require.NoError(t, err)
			maps, last = append(maps, len(j.Maps)), j.Submit
		}
	}
	maps, end := read(1)
	require.Equal(t, []int{1, 2, 3, 4, 5, 6, 7, 8, 1, 2}, maps)
	_, again := read(1)
	_, other := read(2)
	require.Equal(t, end, again)
	require.NotEqual(t, end, other)
}

// TestEstimator checks the estimate for a task whose usage has fallen.
func TestEstimator(t *testing.T) {
	u := orchestrator.Use{Resource: orchestrator.CPU, Advice: &heartbeat.Advice{Mean: orchestrator.Vector{300, 0}},
		Windows: []orchestrator.Window{{End: 1000, Usage: orchestrator.Vector{900, 0}},
			{End: 2000, Usage: orchestrator.Vector{100, 0}}}}
	require.EqualValues(t, 900, peak(nil, u))
}

// file is a scenario that names the program's own parts.
const file = `scenario: own
pool: {nodes: 12, maps: 2, reduces: 1, cores: 2, memory: 4GB, interval: 4s, idle: 300s,
  set: {howdah.mrcluster.threshold: 0, howdah.orchestrator.epoch.ms: 2000, howdah.orchestrator.sample.ms: 500},
  clusters: [{name: a}, {name: b, core: 4}]}
weights: [PerSlot, TD]
orchestrator: ["off", "on", peak]
repetitions: 1
workload:
  - {name: long, cluster: a, generate: waves, jobs: 16, gaps: constant(100), scale-time: 5, cpu: 1.8, memory: 512MB}
  - {name: light, cluster: a, generate: waves, jobs: 16, gaps: constant(100), scale-time: 5, cpu: 0.2, memory: 3GB,
    thrash: 3}
  - {name: short, cluster: b, generate: waves, jobs: 40, gaps: constant(100), scale-time: 5}
`

// TestScenario checks that a scenario can name the parts, and that each makes a difference.
func TestScenario(t *testing.T) {
	s, err := scenario.Parse(file, file, parts())
	require.NoError(t, err)
	require.NoError(t, s.Check())
	r, err := s.Simulate(t.Context(), scenario.Options{Workers: 2})
	require.NoError(t, err)
	require.Zero(t, r.Failed())
	ends := map[string]string{}
	for _, v := range r.Variants {
		result := fmt.Sprint(v.Runs[0].Jobs)
		require.Empty(t, ends[result], "the same result as %s", v.Name)
		ends[result] = v.Name
	}

	require.ErrorContains(t, s.Realizable(), "use kind: namespaces")
	const small = "scenario: small\npool: {nodes: 2, clusters: [{name: a}]}\nweights: PerSlot\nscheduler: in-order\n" +
		"workload: [{generate: waves, jobs: 2, cluster: a}]\n"
	s, err = scenario.Parse("small", small, parts())
	require.NoError(t, err)
	require.ErrorContains(t, s.Realizable(), "PerSlot needs a manager that knows it")
	s, err = scenario.Parse("small", small, parts().With("laboratory"))
	require.NoError(t, err)
	require.NoError(t, s.Realizable())
	_, err = scenario.Parse(file, file, scenario.Parts{})
	require.ErrorContains(t, err, "PerSlot")
}
