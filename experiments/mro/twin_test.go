package mro

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCalibrated checks that calibrated fits the measurements better than its neighbors and than all
// points of a coarse grid.
func TestCalibrated(t *testing.T) {
	misfit := func(thrash, extra float64) float64 {
		m, err := twin{thrash, extra}.misfit(t.Context())
		require.NoError(t, err)
		return m
	}
	best := misfit(calibrated.thrash, calibrated.extra)
	require.InDelta(t, 0.228, best, 0.001)
	for _, a := range []float64{-twinStep.thrash, 0, twinStep.thrash} {
		for _, b := range []float64{-twinStep.extra, 0, twinStep.extra} {
			require.LessOrEqual(t, best, misfit(calibrated.thrash+a, calibrated.extra+b), "%v %v", a, b)
		}
	}
	for thrash := 0.0; thrash <= 20; thrash += 2.5 {
		for extra := 0.0; extra <= 1.5; extra += 0.5 {
			require.LessOrEqual(t, best, misfit(thrash, extra), "%v %v", thrash, extra)
		}
	}
}

// All CPU of PiEst is useful, because it never lacks memory. Twitter lacks memory without an
// orchestrator.
func TestUsefulCPU(t *testing.T) {
	pi, err := Execute(t.Context(), Case{Jobs: []int{2}}, 1)
	require.NoError(t, err)
	require.InEpsilon(t, pi.Util[0], pi.Useful, 0.1)
	twitter, err := Execute(context.Background(), Case{Jobs: []int{0}}, 1)
	require.NoError(t, err)
	require.Less(t, twitter.Useful, 0.7*twitter.Util[0])
}
