package ra

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The grid has every cell of the paper's figure.
func TestRA3Grid(t *testing.T) {
	list := ra3Cases()
	require.Len(t, list, 12)
	for _, c := range list {
		require.InDelta(t, 0.4, c.Workload.F.Amplitude, 1e-9)
		require.Less(t, c.Workload.Load, 1.0)
		require.EqualValues(t, ramp, c.Workload.F.Ramp)
		require.EqualValues(t, Long, c.Workload.Task)
		require.Equal(t, 70, c.Workload.Days)
	}
	require.Len(t, ra3Contenders, ra3EDF+1)
	require.Equal(t, EDF, ra3Contenders[ra3EDF])
}

// A seed whose jobs would take much longer than the days of arrivals is left out.
func TestFeasible(t *testing.T) {
	w := Slopes(small3.load, small3.factor, 3).Workload
	w.Days = small3.days
	seeds, jobs, err := feasible(w, 1, small3.seeds)
	require.NoError(t, err)
	require.Equal(t, []uint64{1, 2, 3, 4, 5, 7, 8, 9}, seeds, "seed 6 has a job of 6374 tasks")
	require.Len(t, jobs, len(seeds))
}
