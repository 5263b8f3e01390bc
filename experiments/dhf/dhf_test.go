package dhf

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/experiments/lab"
)

// TestNinth checks that a ninth of each job has as many waves on the slots of small as the whole job has
// on the paper's testbed.
func TestNinth(t *testing.T) {
	for n := range TableI {
		w := Job(n+1, 1, 1)
		part := ninth(w)
		for _, borrow := range []bool{false, true} {
			for _, mean := range [][2]float64{{1, 0}, {0, 1}} {
				require.Equal(t, w.waves(Testbed().Total(), borrow, mean), part.waves(small.total(), borrow, mean), w.Name)
			}
		}
	}
}

// TestMeasured checks that simulations use the ratios that DHF-0 measured.
func TestMeasured(t *testing.T) {
	results, err := lab.ReadResults("../results/DHF-0-real")
	require.NoError(t, err)
	require.Equal(t, 1, results[0].Version)
	n := 0
	for _, x := range results[0].Relations {
		for i := range 3 {
			if w := Job(i+1, 1, 1); x.ID == "paper-"+w.Name {
				require.Equal(t, math.Round(100*x.Effect.Value)/100, measured[w.Benchmark], w.Name)
				n++
			}
		}
	}
	require.Equal(t, 3, n)
}

// TestFlow checks the states of two jobs in the middle of each time step.
func TestFlow(t *testing.T) {
	end := func(kind string, start, finish int64) lab.Attempt {
		return lab.Attempt{Type: kind, State: "SUCCEEDED", Start: start, Finish: finish}
	}
	jobs := []*lab.Job{{Submit: 0, Attempts: []lab.Attempt{end("MAP", 0, 100), end("REDUCE", 100, 190)}},
		{Submit: 10, Attempts: []lab.Attempt{end("MAP", 40, 140)}}}
	w := []Work{{Row: Row{Maps: 1, Reduces: 1}}, {Row: Row{Maps: 1}}}
	require.Equal(t, []step{
		{running: [2][2]int32{{1, 0}, {1, 0}}, left: [2][2]int32{{1, 1}, {1, 0}}},
		{running: [2][2]int32{{0, 1}, {0, 0}}, left: [2][2]int32{{0, 1}, {0, 0}}},
	}, flowOf(jobs, w, 100))
	require.Equal(t, [2]float64{100, 90}, taskTimes(jobs[0]))
	require.Equal(t, 190.0, span(jobs...))
}
