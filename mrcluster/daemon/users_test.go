package daemon

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/rpc/rpctest"
	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/provision/node"
)

func TestWhoMayCall(t *testing.T) {
	cfg := testConfig(t.TempDir())
	cfg.Secret = auth.NewSecret()
	m, err := New(cfg)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- m.Run(ctx) }()
	t.Cleanup(func() { cancel(); require.NoError(t, <-done) })
	rpctest.CheckCalls(t, m.Addr(), m.server().GetServiceInfo(), cfg.Secret)
}

func TestNodesReportOnlyThemselves(t *testing.T) {
	s := &service{Manager: &Manager{}}
	report := func(p auth.Principal) error {
		return s.admit(p, &pool.ReportRequest{Protocol: rpc.Protocol, Node: "n1"})
	}
	require.NoError(t, report(auth.Principal{Admin: true}))
	require.NoError(t, report(auth.Principal{Node: "N1"}))
	err := report(auth.Principal{Node: "n2"})
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	require.ErrorContains(t, err, "node n2 may report only itself")
}

// TestMastersHearOfRevocations checks that the reply to a master's report lists revoked tokens, and
// that the master's agent hands them on.
func TestMastersHearOfRevocations(t *testing.T) {
	ledger, err := auth.OpenLedger(filepath.Join(t.TempDir(), "tokens"), auth.NewSecret())
	require.NoError(t, err)
	for _, user := range []string{"alice", "bob"} {
		_, err = ledger.Issue(auth.Claims{User: user, Expires: time.Now().Add(time.Hour).Unix()}, "")
		require.NoError(t, err)
	}
	bob := ledger.List()[1].Claims
	require.NoError(t, ledger.Revoke(bob))
	s := &service{Manager: &Manager{issued: ledger, ledger: newLedger(1)}}
	d := &mrcluster.Desired{Cluster: "a", Deployment: 1, Master: true, Spec: &mrcluster.Spec{Name: "a", Core: 1}}
	f := &recording{}
	newLeader(*d, f).follow(*d, s.tell(d), node.Endpoints{})
	require.Equal(t, []auth.Claims{{ID: bob.ID, Expires: bob.Expires}}, f.void)
	d.Master = false
	require.Empty(t, s.tell(d).Revoked)
}
