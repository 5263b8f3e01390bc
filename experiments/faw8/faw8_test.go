package faw8

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/experiments/faw"
	"github.com/howdah/howdah/experiments/lab"
)

// One seed of the two policies that matter most; the experiment has all.
func TestTDHelpsTheLoadedMRCluster(t *testing.T) {
	m := faw.DAS4().With(faw.WC, faw.ST)
	refs := m.NewReferences()
	slowdown := func(policy string) (s [3]float64) {
		work := faw.WKLDD(m, 1, faw.Hours, faw.Bursts)
		res, err := pool(m, refs, policy, 1).Run(t.Context(), work)
		require.NoError(t, err)
		for c := range s {
			require.Len(t, res.Clusters[c].Jobs, len(work[c].Jobs))
			s[c] = faw.Slowdown(res.Clusters[c], work[c], refs)
		}
		return s
	}
	none, td := slowdown("None"), slowdown("TD")
	require.Less(t, td[1], 0.8*none[1])
	require.InDelta(t, none[0], td[0], 0.1*none[0])
	require.InDelta(t, none[2], td[2], 0.12*none[2])
}

// A run that is stopped says so.
func TestStopped(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	require.ErrorIs(t, sim(ctx, &lab.Run{Quick: true, Seed: 1, Workers: 1}), context.Canceled)
}
