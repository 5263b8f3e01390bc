package faw9

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/experiments/faw"
	"github.com/howdah/howdah/experiments/lab"
)

// With equal shares nothing changes after the first time.
func TestEqualSharesStay(t *testing.T) {
	m := faw.DAS4().With(faw.WC, faw.ST, faw.TT, faw.AH)
	o, err := run(t.Context(), m, m.NewReferences(), cell{policy: "EQ"}, 1)
	require.NoError(t, err)
	require.LessOrEqual(t, o.reconf, 3)
	require.NotEmpty(t, o.seen)
	for _, v := range o.seen[len(o.seen)-1].View.Clusters {
		require.Equal(t, nodes/3, v.Held)
	}
}

// A run that is stopped says so.
func TestStopped(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	require.ErrorIs(t, sim(ctx, &lab.Run{Quick: true, Seed: 1, Workers: 1}), context.Canceled)
}
