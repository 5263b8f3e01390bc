package faw

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEqualSharesStay checks that, with equal shares, the MR-clusters have the same number of nodes
// after at most three reconfigurations.
func TestEqualSharesStay(t *testing.T) {
	m := DAS4().With(WC, ST, TT, AH)
	o, err := faw9Run(t.Context(), m, m.NewReferences(), faw9Cell{policy: "EQ"}, 1)
	require.NoError(t, err)
	require.LessOrEqual(t, o.reconf, 3)
	require.NotEmpty(t, o.seen)
	for _, v := range o.seen[len(o.seen)-1].View.Clusters {
		require.Equal(t, faw9Nodes/3, v.Held)
	}
}
