package sim6

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/experiments/lab"
)

// A few repetitions show that everything is there; what takes hundreds of them is for howdah experiment run.
func TestFewRepetitions(t *testing.T) {
	r := &lab.Run{Quick: true, Seed: 1, Workers: 2}
	require.NoError(t, run(t.Context(), r, 4, 4))
	require.NotEmpty(t, r.Tables)
	require.NotEmpty(t, r.Plots)
	require.NotEmpty(t, r.Unproven)
	require.True(t, r.Relations[0].Holds, "df 1: the policies coincide exactly, however few the repetitions: %s", r.Relations[0].Detail)
}
