package ra

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// The grid has every cell of the paper's figure.
func TestRA4Grid(t *testing.T) {
	list := ra4Cases()
	require.Len(t, list, 4*levels)
	for i, c := range list {
		require.EqualValues(t, 8, c.Workload.Factor[1])
		require.InDelta(t, 0.4*float64(i/4+1)/3, c.Workload.F.Amplitude, 1e-9)
		require.EqualValues(t, Long, c.Workload.Task)
	}
	require.Len(t, ra4Contenders, ra4Blind+1)
}

// The study varies the slope of f(t), the length of tasks, and the deadline factor independently.
func TestStudyGrid(t *testing.T) {
	list := studyCases()
	require.Len(t, list, 27)
	seen := map[[3]float64]bool{}
	for _, c := range list {
		w := c.Workload
		seen[[3]float64{w.F.Ramp, w.Task, w.Factor[1]}] = true
		require.InDelta(t, w.Task/Short*7, w.Days, 0.5)
		require.Equal(t, strconv.Itoa(int(w.Task/Short*30_000)), c.Settings["howdah.adaptive.cycle"])
	}
	require.Len(t, seen, len(list))
	require.Len(t, studyContenders, studyEDF+1)
	require.True(t, studyContenders[studyUnlimitedBlind].Blind)
	require.True(t, studyContenders[studyBlind].Blind)
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
	rises, falls := grows(grid, ra4Adaptive, Missed, 1, 2), grows(grid, ra4Adaptive, Missed, 2, 3)
	require.InDelta(t, -2, rises.Mean().Mean, 1e-9)
	require.InDelta(t, 1, falls.Mean().Mean, 1e-9)
}
