package simmr

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/experiments/lab"
)

// A few repetitions show that the report is complete. howdah experiment run makes the hundreds of
// repetitions that some relations need.
func TestSim7FewRepetitions(t *testing.T) {
	r := &lab.Run{Quick: true, Seed: 1, Workers: 2}
	require.NoError(t, sim7Run(t.Context(), r, 2))
	require.NotEmpty(t, r.Tables)
	require.NotEmpty(t, r.Plots)
	require.NotEmpty(t, r.Unproven)
	require.Len(t, r.Relations, 7)
}
