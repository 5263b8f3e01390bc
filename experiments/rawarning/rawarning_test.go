package rawarning

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/ra"
)

// The variants differ in what isolates a cause, one choice at a time.
func TestGrid(t *testing.T) {
	list := cases()
	require.Len(t, list, points*len(variants))
	for i, c := range list {
		v := variants[i/points]
		want := ra.Literal
		if v.heavy {
			want = ra.HeavyTail
		}
		require.Equal(t, want, c.Workload.Tasks)
		require.Equal(t, v.late, c.Settings["howdah.adaptive.late"])
		require.Equal(t, v.whole, c.Settings["howdah.adaptive.whole.tasks"])
	}
	require.Len(t, contenders, edf+1)
}

// A run that is stopped says so.
func TestStopped(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	require.ErrorIs(t, simulate(ctx, &lab.Run{Quick: true, Seed: 1, Workers: 1}), context.Canceled)
}
