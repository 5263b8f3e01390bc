package faw

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/experiments/lab"
)

// TestRealFigure4IsEvaluated checks the relations of three made-up runs. Every registered relation is
// evaluated, by intervals. The speedup of the first job is linear, and that of the second is not.
func TestRealFigure4IsEvaluated(t *testing.T) {
	text, err := os.ReadFile("../registered/FAW-4.yaml")
	require.NoError(t, err)
	g, err := lab.ParseRegistration("FAW-4", text)
	require.NoError(t, err)
	r := &lab.Run{Plan: g.Real, Real: true}
	runs := func(times ...float64) (out [][]float64) {
		for k := range faw4RealRuns {
			run := make([]float64, len(times))
			for i, x := range times {
				run[i] = x + float64(k)/100
			}
			out = append(out, run)
		}
		return out
	}
	slow, linear := runs(24, 24, 24, 24, 24), runs(24, 16, 12, 9.6, 8)
	require.False(t, faw4Show(r, [][][]float64{slow, slow}, [][][]float64{linear, runs(24, 12, 12, 12, 12)}))
	require.Len(t, r.Outcomes, len(g.Real.Relations))
	held := map[string]bool{}
	for _, o := range r.Outcomes {
		require.Equal(t, faw4RealRuns, o.Effect.Repetitions, o.ID)
		held[o.ID] = o.Verdict == lab.Holds || o.Verdict == lab.Fixed
	}
	require.Equal(t, map[string]bool{"linear-Sort": true, "gain-Sort": true, "sort": true, "linear-WordCount": false,
		"gain-WordCount": true}, held)
}
