package simmr

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/simulator/trace/dist"
	"github.com/howdah/howdah/simulator/trace/generate"
)

// The fit finds the factor by which an application was stretched from its divergence alone.
func TestFitFindsFactor(t *testing.T) {
	a := generate.Application{Name: "a", Map: dist.LogNormalOf(10_000, 2000), First: dist.LogNormalOf(8000, 2400),
		Typical: dist.LogNormalOf(20_000, 6000), Reduce: dist.LogNormalOf(5000, 1250)}
	for k := range 3 {
		factors := [3]float64{1, 1, 1}
		factors[k] = 3
		_, want := fit(0, executions(1, stretched(a, factors), 500, k))
		require.Less(t, want, 0.02, "no factor makes it diverge so little")
		one, got := fit(0.3, executions(1, a, 500, k))
		require.InDelta(t, 0.3, got, 0.02)
		third, got := fit(0.3, executions(1, stretched(a, factors), 500, k))
		require.InDelta(t, 0.3, got, 0.02)
		require.InEpsilon(t, 3, one/third, 0.1, "phase %d", k)
	}
}
