package testpool

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/mrcluster"
)

// Audit finds each kind of violation.
func TestAuditBites(t *testing.T) {
	created := mrcluster.Fact{Kind: mrcluster.ClusterCreated, Spec: &mrcluster.Spec{Name: "a", Core: 2}}
	assigned := mrcluster.Fact{Kind: mrcluster.NodeAssigned, Cluster: "a", Node: "n", NodeKind: mrcluster.Core}
	other := mrcluster.Fact{Kind: mrcluster.NodeAssigned, Cluster: "b", Node: "n", NodeKind: mrcluster.Transient}
	released := mrcluster.Fact{Kind: mrcluster.NodeReleased, Cluster: "a", Node: "n", Reason: "the node did not start"}
	shrunk := released
	shrunk.Reason = "the MR-cluster shrinks"
	below := mrcluster.Fact{Kind: mrcluster.Reconfigured, Shares: []mrcluster.Share{{Cluster: "a", Nodes: 1}}}
	require.Empty(t, Audit([]mrcluster.Fact{created, assigned, released, other}))
	require.Len(t, Audit([]mrcluster.Fact{created, assigned, other}), 1)
	require.Len(t, Audit([]mrcluster.Fact{created, assigned, shrunk}), 1)
	require.Len(t, Audit([]mrcluster.Fact{created, below}), 1)
}
