package simmr

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/registered"
)

// The report is complete even after a few repetitions. Some relations need hundreds of repetitions,
// so the test does not check whether they hold.
func TestSim7FewRepetitions(t *testing.T) {
	g, err := registered.Of("SIM-7")
	require.NoError(t, err)
	r := &lab.Run{Plan: g.Sim, Quick: true, Seed: 1, Workers: 2}
	require.NoError(t, sim7Run(t.Context(), r, 2))
	require.NotEmpty(t, r.Tables)
	require.NotEmpty(t, r.Plots)
	require.Len(t, r.Outcomes, len(g.Sim.Relations))
}
