package simmr

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/experiments/lab"
)

// The report is complete even after a few repetitions. Some relations need hundreds of repetitions,
// so the test checks only one that holds in each repetition.
func TestSim6FewRepetitions(t *testing.T) {
	r := &lab.Run{Quick: true, Seed: 1, Workers: 2}
	require.NoError(t, sim6Run(t.Context(), r, 4, 4))
	require.NotEmpty(t, r.Tables)
	require.NotEmpty(t, r.Plots)
	require.NotEmpty(t, r.Unproven)
	require.True(t, r.Relations[0].Holds, "df 1: the policies coincide exactly, however few the repetitions: %s",
		r.Relations[0].Detail)
}
