package simmr

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/experiments/lab"
)

// The report is complete even after a few repetitions. Some relations need hundreds of repetitions,
// so the test does not check whether they hold.
func TestSim7FewRepetitions(t *testing.T) {
	r := &lab.Run{Quick: true, Seed: 1, Workers: 2}
	require.NoError(t, sim7Run(t.Context(), r, 2))
	require.NotEmpty(t, r.Tables)
	require.NotEmpty(t, r.Plots)
	require.NotEmpty(t, r.Unproven)
	require.Len(t, r.Relations, 7)
}
