package ra

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The grid has every cell of the paper's figure.
func TestRA2Grid(t *testing.T) {
	list := ra2Cases()
	require.Len(t, list, 15)
	for _, c := range list {
		require.Zero(t, c.Workload.F, "no transactional workload")
	}
	require.Len(t, ra2Contenders, ra2Unlimited+1)
}
