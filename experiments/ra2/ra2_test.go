package ra2

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/experiments/lab"
)

// Every cell of the paper's figure is there.
func TestGrid(t *testing.T) {
	list := cases()
	require.Len(t, list, 15)
	for _, c := range list {
		require.Zero(t, c.Workload.F, "no transactional workload")
	}
	require.Len(t, contenders, byCycle+1)
}

// A run that is stopped says so.
func TestStopped(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	require.ErrorIs(t, simulate(ctx, &lab.Run{Quick: true, Seed: 1, Workers: 1}), context.Canceled)
}
