package simmr

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/registered"
)

// The report is complete even after a few repetitions. Some relations need hundreds of repetitions,
// so the test checks only one that holds in each repetition.
func TestSim6FewRepetitions(t *testing.T) {
	g, err := registered.Of("SIM-6")
	require.NoError(t, err)
	r := &lab.Run{Plan: g.Sim, Quick: true, Seed: 1, Workers: 2}
	require.NoError(t, sim6Run(t.Context(), r, 4, 4))
	require.NotEmpty(t, r.Tables)
	require.NotEmpty(t, r.Plots)
	require.Len(t, r.Outcomes, len(g.Sim.Relations))
	require.Equal(t, lab.Holds, r.Outcomes[0].Verdict, "df 1: the policies coincide exactly, however few the repetitions")
}
