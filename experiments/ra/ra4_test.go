package ra

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The grid has every cell of the paper's figure.
func TestRA4Grid(t *testing.T) {
	short, long := ra4Cases(1), ra4Cases(10)
	require.Len(t, short, 4*levels)
	for i := range short {
		require.Equal(t, short[i].Workload.F, long[i].Workload.F)
		require.EqualValues(t, 8, short[i].Workload.Factor[1])
		require.Zero(t, short[i].Workload.Task, "387 s")
		require.Equal(t, 3870e3, long[i].Workload.Task)
	}
	require.Len(t, ra4Contenders, ra4Blind+1)
}

// The gain at a level minus the gain at the next level is positive where the gain falls.
func TestGrows(t *testing.T) {
	grid := make([][][]Outcome, 4*levels)
	for i := range grid {
		gain := []float64{1, 3, 2}[i/4]
		for k := range ra4Contenders {
			o := []Outcome{{Missed: 10}, {Missed: 10.1}}
			if k == ra4Reverse {
				o[0].Missed, o[1].Missed = 10-gain, 10.1-gain
			}
			grid[i] = append(grid[i], o)
		}
	}
	rises, falls := grows(grid, ra4Adaptive, Missed, 1), grows(grid, ra4Adaptive, Missed, 2)
	require.InDelta(t, -2, rises.Mean().Mean, 1e-9)
	require.InDelta(t, 1, falls.Mean().Mean, 1e-9)
}
