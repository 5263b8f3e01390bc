package sim5

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/experiments/lab"
)

// What it measures is time, so a busy machine may fail the relations; that it comes to its end is what counts here.
func TestRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	rep, err := lab.Execute(t.Context(), Experiment, lab.Options{Quick: true, Workers: 2})
	require.NoError(t, err)
	require.Empty(t, rep.Error)
	require.Len(t, rep.Relations, 3)
}
