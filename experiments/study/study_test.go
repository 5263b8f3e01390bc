package study

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/experiments/scenario"
)

// TestScenarios checks that the workloads are valid, also on one cluster.
func TestScenarios(t *testing.T) {
	for _, w := range workloads {
		s, err := scenario.Parse(w.name, w.scenario(), scenario.Parts{})
		require.NoError(t, err)
		require.NoError(t, s.Check())
		require.Len(t, s.Variants(), 8)
		one := s.Merged()
		require.NoError(t, one.Check())
		require.Len(t, one.Variants(), 8)
		require.NotNil(t, s.Pool, "Merged changes its receiver")
		require.Equal(t, "text", s.Work[0].Cluster)
	}
}

// TestLoss checks that gains that multiply have no loss, and that a loss is in percent of the time.
func TestLoss(t *testing.T) {
	times := func(list ...int64) (runs []scenario.Run) {
		for _, x := range list {
			runs = append(runs, scenario.Run{Jobs: []scenario.Job{{Submit: 500, Finish: x + 500}}})
		}
		return runs
	}
	a, b, c, d := cell{scheduler: "a"}, cell{scheduler: "b"}, cell{scheduler: "c"}, cell{scheduler: "d"}
	all := cells{a: times(1000, 2000), b: times(500, 1000), c: times(800, 1600), d: times(400, 800)}
	require.InDelta(t, 0, all.loss(a, b, c, d).Mean, 1e-9)
	all[d] = times(800, 1600)
	require.InDelta(t, 100, all.loss(a, b, c, d).Mean, 1e-9)
	require.InDelta(t, 50, all.gain(a, b).Mean, 1e-9)
	require.False(t, math.IsNaN(all.loss(a, b, c, d).Half))
}
