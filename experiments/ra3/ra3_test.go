package ra3

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/experiments/lab"
)

// Every cell of the paper's figure is there.
func TestGrid(t *testing.T) {
	list := cases()
	require.Len(t, list, 12)
	for _, c := range list {
		require.InDelta(t, 0.4, c.Workload.F.Amplitude, 1e-9)
		require.Less(t, c.Workload.Load, 1.0)
	}
	require.Len(t, contenders, blind+1)
}

// A run that is stopped says so.
func TestStopped(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	require.ErrorIs(t, simulate(ctx, &lab.Run{Quick: true, Seed: 1, Workers: 1}), context.Canceled)
}
