package mro

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// With Watch, decisions have no effect, and no job gains. The same seed yields the same run.
func TestWatching(t *testing.T) {
	base, err := Execute(t.Context(), Case{Jobs: []int{2}}, 1)
	require.NoError(t, err)
	watched, err := Execute(t.Context(), Case{Jobs: []int{2}, Estimator: "regression", Control: Both, Watch: true}, 1)
	require.NoError(t, err)
	require.NotZero(t, watched.Decisions)
	require.InDelta(t, 0, Reduction(base, watched), 1)
	again, err := Execute(t.Context(), Case{Jobs: []int{2}}, 1)
	require.NoError(t, err)
	require.Equal(t, base.JCT, again.JCT)
}

func TestReductions(t *testing.T) {
	a, b := &Outcome{JCT: []float64{100, 200}}, &Outcome{JCT: []float64{80, 200}}
	require.Equal(t, []float64{20, 0}, roundAll(Reductions([]*Outcome{a}, []*Outcome{b})))
	require.InDelta(t, 10, Reduction(a, b), 1e-9)
	require.Equal(t, []float64{100, 200, 80, 200}, Joined([][]*Outcome{{a}, {b}})[0].JCT)
}

func roundAll(x []float64) []float64 {
	for i := range x {
		x[i] = math.Round(x[i]*1e6) / 1e6
	}
	return x
}
