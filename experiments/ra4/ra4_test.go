package ra4

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/ra"
)

// Every cell of the paper's figure is there.
func TestGrid(t *testing.T) {
	short, long := cases(1), cases(10)
	require.Len(t, short, 4*levels)
	for i := range short {
		require.Equal(t, short[i].Workload.F, long[i].Workload.F)
		require.EqualValues(t, 8, short[i].Workload.Factor[1])
		require.Zero(t, short[i].Workload.Task, "387 s")
		require.Equal(t, 3870e3, long[i].Workload.Task)
	}
	require.Len(t, contenders, blind+1)
}

// A run that is stopped says so.
func TestStopped(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	require.ErrorIs(t, simulate(ctx, &lab.Run{Quick: true, Seed: 1, Workers: 1}), context.Canceled)
}

// The change of the gain from level to level, above 0 where it falls.
func TestGrows(t *testing.T) {
	grid := make([][][]ra.Outcome, 4*levels)
	for i := range grid {
		gain := []float64{1, 3, 2}[i/4]
		for k := range contenders {
			o := []ra.Outcome{{Missed: 10}, {Missed: 10.1}}
			if k == reverse {
				o[0].Missed, o[1].Missed = 10-gain, 10.1-gain
			}
			grid[i] = append(grid[i], o)
		}
	}
	v := grows(grid, adaptive, ra.Missed)
	require.Equal(t, [3]int{4, 0, 4}, [3]int{v.Below, v.Equal, v.Above}, "it rises to level 2 and falls to level 3: %s", &v)
}
