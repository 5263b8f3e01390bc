package mro6

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/experiments/lab"
)

func TestSimulation(t *testing.T) {
	r := &lab.Run{Seed: 1, Workers: 2, Quick: true}
	require.NoError(t, simulate(t.Context(), r))
	require.Len(t, r.Relations, 6)
	for _, x := range r.Relations {
		t.Logf("%v %s: %s", x.Holds, x.Text, x.Detail) // on a busy machine times prove nothing
	}
}
