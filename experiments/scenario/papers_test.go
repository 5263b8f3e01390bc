package scenario

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// times simulates a shipped scenario and returns the mean times of its parts in s, and the numbers of
// missed deadlines, by variant and part.
func times(t *testing.T, name string, repeat int) (mean map[string]map[string]float64, missed map[string]int) {
	t.Helper()
	s, err := Read(name, Parts{})
	require.NoError(t, err)
	require.NoError(t, s.Check())
	require.NoError(t, s.Realizable())
	r, err := s.Simulate(t.Context(), Options{Workers: 2, Repeat: repeat})
	require.NoError(t, err)
	require.Zero(t, r.Failed(), r.firstFailure())
	mean, missed = map[string]map[string]float64{}, map[string]int{}
	for _, v := range r.Variants {
		sum, n := map[string]float64{}, map[string]float64{}
		for _, run := range v.Runs {
			for _, j := range run.Jobs {
				sum[j.Part], n[j.Part] = sum[j.Part]+float64(j.Finish-j.Submit)/1000, n[j.Part]+1
				if j.Deadline > 0 && j.Finish > j.Deadline {
					missed[v.Name]++
				}
			}
		}
		for p := range sum {
			sum[p] /= n[p]
		}
		mean[v.Name] = sum
	}
	return mean, missed
}

// Pool 1's reduces use half of all slots under PD-DHFS, and few under PI-DHFS, which gives them to
// pool 2's maps. Without borrowed slots, both pools take longer.
func TestDHF4(t *testing.T) {
	m, _ := times(t, "dhf-4", 1)
	require.Less(t, m["pd-dhfs"]["one"], 0.95*m["pi-dhfs"]["one"])
	require.Less(t, m["pi-dhfs"]["two"], 0.95*m["pd-dhfs"]["two"])
	for _, p := range []string{"one", "two"} {
		require.Less(t, max(m["pi-dhfs"][p], m["pd-dhfs"][p]), 0.8*m["fair"][p])
	}
}

// Adaptive misses the first deadline, and Reverse-Adaptive none.
func TestRA1(t *testing.T) {
	_, missed := times(t, "ra-1", 1)
	require.Equal(t, map[string]int{"adaptive": 1}, missed)
}

// The busy MR-cluster is fastest under TD, then under EQ. The others are about as fast as without
// weights.
func TestFAW8(t *testing.T) {
	m, _ := times(t, "faw-8", 3)
	none, eq, td := m["fifo None"], m["fifo EQ"], m["fifo TD"]
	require.Less(t, td["many"], 0.9*eq["many"])
	require.Less(t, eq["many"], 0.9*none["many"])
	for _, p := range []string{"few", "rare"} {
		require.InEpsilon(t, none[p], td[p], 0.1)
	}
}

// The jobs of SIM-4 depend on the order of their deadlines and on nothing that only one world knows.
func TestSIM4(t *testing.T) {
	m, missed := times(t, "sim-4", 2)
	require.NotEqual(t, m["maxedf"], m["minedf"])
	require.Positive(t, missed["maxedf"])
}
