package faw

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPart checks that Part keeps about a fifth of the tasks, and all large jobs with fewer tasks.
func TestPart(t *testing.T) {
	whole := WKLDD(DAS4().With(WC, ST), 1, 1, Bursts)
	fifth := Part(5, whole)
	for i, n := range []int{33, 37 + 6, 111} {
		require.Len(t, fifth[i].Jobs, n)
		require.InDelta(t, float64(Tasks(whole[i]))/5, float64(Tasks(fifth[i])), 40)
		require.Equal(t, 2, fifth[i].Spec.Core)
		require.Equal(t, CoreNodes, whole[i].Spec.Core, "Part does not change its argument")
	}
	large := 0
	for _, j := range fifth[1].Jobs {
		if len(j.Maps) == 160 {
			large++
			require.Equal(t, int64(20<<30), j.Input)
		}
	}
	require.Equal(t, 2, large)
}
