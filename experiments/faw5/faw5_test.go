package faw5

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/experiments/lab"
)

func TestRelationsHold(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	rep, err := lab.Execute(t.Context(), Experiment, lab.Options{Quick: true, Workers: 2})
	require.NoError(t, err)
	rep.Print(os.Stdout)
	require.True(t, rep.Holds())
}
