package mro1b

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/experiments/lab"
)

func TestSimulation(t *testing.T) {
	r := &lab.Run{Seed: 1, Workers: 2, Quick: true}
	require.NoError(t, simulate(t.Context(), r))
	for _, x := range r.Relations {
		t.Logf("%v %s: %s", x.Holds, x.Text, x.Detail)
	}
	for _, x := range r.Unproven {
		t.Log(x)
	}
	for _, x := range r.Relations {
		require.True(t, x.Holds, "%s: %s", x.Text, x.Detail)
	}
}
