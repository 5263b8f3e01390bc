package faw

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTDHelpsTheLoadedMRCluster checks that TD lowers the slowdown of c-2 by more than a fifth and
// hardly changes the other slowdowns. It uses one seed.
func TestTDHelpsTheLoadedMRCluster(t *testing.T) {
	m := DAS4().With(WC, ST)
	refs := m.NewReferences()
	slowdown := func(policy string) (s [3]float64) {
		work := WKLDD(m, 1, Hours, Bursts)
		res, err := faw8Pool(m, refs, policy, 1).Run(t.Context(), work)
		require.NoError(t, err)
		for c := range s {
			require.Len(t, res.Clusters[c].Jobs, len(work[c].Jobs))
			s[c] = Slowdown(res.Clusters[c], work[c], refs)
		}
		return s
	}
	none, td := slowdown("None"), slowdown("TD")
	require.Less(t, td[1], 0.8*none[1])
	require.InDelta(t, none[0], td[0], 0.1*none[0])
	require.InDelta(t, none[2], td[2], 0.12*none[2])
}
