package sim7

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/experiments/lab"
)

// A few repetitions show that everything is there; what takes hundreds of them is for howdah experiment run.
func TestFewRepetitions(t *testing.T) {
	r := &lab.Run{Quick: true, Seed: 1, Workers: 2}
	require.NoError(t, run(t.Context(), r, 2))
	require.NotEmpty(t, r.Tables)
	require.NotEmpty(t, r.Plots)
	require.NotEmpty(t, r.Unproven)
	require.Len(t, r.Relations, 7)
}
