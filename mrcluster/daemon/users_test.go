package daemon

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/acl"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/rpc/rpctest"
	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/provision/node"
	"github.com/howdah/howdah/mrcluster/status"
)

// running returns a manager that runs until the test ends.
func running(t *testing.T, cfg Config) *Manager {
	m, err := New(cfg)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- m.Run(ctx) }()
	t.Cleanup(func() { cancel(); require.NoError(t, <-done) })
	return m
}

func TestWhoMayCall(t *testing.T) {
	cfg := testConfig(t.TempDir())
	m := running(t, cfg)
	rpctest.CheckCalls(t, m.Addr(), m.server().GetServiceInfo(), cfg.Secret)
}

// translated is a connection whose client has called a different address than the server's.
type translated struct {
	net.Conn
	called netip.AddrPort
}

func (c translated) RemoteAddr() net.Addr { return net.TCPAddrFromAddrPort(c.called) }

// TestAddresses checks that a manager accepts clients that have called the addresses in its
// configuration.
func TestAddresses(t *testing.T) {
	c := shared(t)
	c.Set(auth.KeyAddresses, "10.9.8.7:1", "test")
	configured, err := FromConf(c, "127.0.0.1")
	require.NoError(t, err)
	cfg := testConfig(t.TempDir())
	cfg.Addresses = configured.Addresses
	m := running(t, cfg)
	call := func(called string) error {
		dial := func(ctx context.Context, addr string) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
			return translated{conn, netip.MustParseAddrPort(called)}, err
		}
		conn, err := rpc.Dial(m.Addr(), rpc.Options{Secret: cfg.Secret, Dialer: dial})
		require.NoError(t, err)
		defer conn.Close()
		_, err = pool.NewPoolClient(conn).Status(t.Context(), &pool.StatusRequest{})
		return err
	}
	require.NoError(t, call("10.9.8.7:1"))
	require.ErrorIs(t, call("10.9.8.7:2"), auth.OtherAddress{})
}

// as returns a context of a call by a user.
func as(t *testing.T, user string) context.Context {
	return auth.With(t.Context(), auth.Principal{User: user})
}

// TestOwners checks that the owner of an MR-cluster is the authenticated user. Only the owner and
// administrators may remove the MR-cluster, and only they and the listed users may use it.
func TestOwners(t *testing.T) {
	in(t, 2, func(w *world) {
		s, err := w.service()
		require.NoError(t, err)
		s.cfg.Rights = Rights{Creators: acl.Parse("ann,bob"), Admins: acl.Parse("carol")}
		ann, bob, eve, carol := as(w.t, "ann"), as(w.t, "bob"), as(w.t, "eve"), as(w.t, "carol")
		refused := func(err error, text string) {
			t.Helper()
			require.True(t, failure.Is(err, failure.Permission), "%v", err)
			require.ErrorContains(t, err, text)
		}
		refused(s.Create(eve, &mrcluster.Spec{Name: "e", Core: 1}), conf.MRClusterCreateACL.Name)
		refused(s.Create(w.t.Context(), &mrcluster.Spec{Name: "n", Core: 1}), "nobody")
		refused(s.Create(ann, &mrcluster.Spec{Name: "a", Core: 1, User: "root"}), "act for other users")
		refused(s.Create(ann, &mrcluster.Spec{Name: "a", Core: 1, Conf: []string{"mapred.system.dir=file:/etc"}}),
			"mapred.system.dir")
		secret := mrcluster.Spec{Name: "a", Core: 1, Load: []mrcluster.Copy{{From: "file:/secret", To: "file:/x"}},
			Conf: []string{conf.SecurityJobClientProtocolACL.Name + "=bob", "mapreduce.map.maxattempts=7"}}
		require.NoError(t, s.Create(ann, &secret))
		require.NoError(t, s.Create(w.ctx, &mrcluster.Spec{Name: "r", Core: 1}))
		require.NoError(t, s.Create(w.ctx, &mrcluster.Spec{Name: "b", Core: 1, User: "bob"}), "an administrator acts for bob")

		owners := func(ctx context.Context) map[string]string {
			p, err := s.Status(ctx, "")
			require.NoError(t, err)
			out := map[string]string{}
			for _, c := range p.Clusters {
				out[c.Spec.Name] = c.Spec.User
				if c.Spec.Name == "a" && ctx == eve {
					require.Empty(t, c.Spec.Conf)
					require.Empty(t, c.Spec.Load)
				} else if c.Spec.Name == "a" {
					require.Len(t, c.Spec.Conf, 2)
				}
			}
			return out
		}
		want := map[string]string{"a": "ann", "b": "bob", "r": passwd.Me()}
		require.Equal(t, want, owners(w.ctx))
		require.Equal(t, want, owners(bob))
		require.Equal(t, want, owners(eve))

		job := func(ctx context.Context, name string) error {
			_, err := s.Job(ctx, name, 0)
			return err
		}
		refused(job(eve, "a"), "belongs to user ann")
		refused(job(ann, "b"), "belongs to user bob")
		refused(job(ann, "r"), "belongs to user "+passwd.Me())
		me := as(w.t, passwd.Me())
		for _, ctx := range []context.Context{ann, bob, carol, me, w.ctx} {
			require.NoError(t, job(ctx, "a"))
		}
		refused(s.Grow(bob, "a", 2), "belongs to user ann")
		refused(s.Grow(eve, "a", 0), "ask its owner or an administrator to grow it")
		for nodes, ctx := range []context.Context{ann, carol, w.ctx} {
			require.True(t, failure.Is(s.Grow(ctx, "a", 3+nodes), failure.Limit), "the pool has 2 nodes")
		}
		require.NoError(t, s.Grow(ann, "a", 1))
		refused(s.Remove(bob, "a", true), "belongs to user ann")
		refused(s.Remove(eve, "a", true), "belongs to user ann")
		require.NoError(t, s.Remove(ann, "a", true))
		require.NoError(t, s.Remove(carol, "b", true))
		require.NoError(t, s.Create(me, &mrcluster.Spec{Name: "m", Core: 1}))

		s.cfg.Rights.Most = 1
		require.NoError(t, s.Create(ann, &mrcluster.Spec{Name: "a1", Core: 1}))
		err = s.Create(ann, &mrcluster.Spec{Name: "a2", Core: 1})
		require.True(t, failure.Is(err, failure.Limit), "%v", err)
		require.ErrorContains(t, err, "howdah.mrcluster.user.maximum")
		require.NoError(t, s.Create(bob, &mrcluster.Spec{Name: "b1", Core: 1}))
		require.NoError(t, s.Create(w.ctx, &mrcluster.Spec{Name: "a2", Core: 1, User: "ann"}), "an administrator")
		require.NoError(t, s.Remove(w.ctx, "r", true))

		old := &mrcluster.Spec{Name: "o", Core: 1} // from the journal of an older version
		require.True(t, s.cfg.Rights.owns(auth.Principal{User: passwd.Me()}, old))
		require.False(t, s.cfg.Rights.owns(auth.Principal{User: "ann"}, old))
		require.False(t, s.cfg.Rights.owns(auth.Principal{}, &mrcluster.Spec{User: "ann"}))
	})
}

// TestAudit checks that the manager's log names the caller of a change, also of a rejected one.
func TestAudit(t *testing.T) {
	var text bytes.Buffer
	s := &service{Manager: &Manager{cfg: Config{Log: slog.New(slog.NewTextHandler(&text, nil))}}}
	s.audit(as(t, "ann"), "grow to 3", "a", nil)
	require.Contains(t, text.String(), `level=INFO msg="change made" change="grow to 3" on=a by="user ann"`)
	s.audit(as(t, "eve"), "remove", strings.Repeat("x", maxAddress+1), errors.New("not yours"))
	require.Contains(t, text.String(), `level=WARN msg="change rejected" change=remove on=`+
		strings.Repeat("x", maxAddress)+` by="user eve" error="not yours"`)
}

// TestReasonsAreSecret checks that users do not see why something happened to an MR-cluster that they may
// not use, because the reasons contain its paths.
func TestReasonsAreSecret(t *testing.T) {
	r := Rights{Admins: acl.Parse("carol")}
	seen := func(user string) []string {
		all := &status.Pool{
			Clusters: []*status.Cluster{{ClusterView: mrcluster.ClusterView{LastError: "1",
				Spec: mrcluster.Spec{Name: "a", User: "ann"}}}},
			Nodes:  []*mrcluster.NodeView{{Problem: "2", Cluster: "a"}, {Problem: "3"}, {}},
			Events: []*status.Event{{Cluster: "a", Reason: "4"}, {Reason: "5"}, {Cluster: "gone", Reason: "6"}}}
		r.hide(auth.Principal{User: user}, all)
		out := []string{all.Clusters[0].LastError}
		for _, n := range all.Nodes {
			out = append(out, n.Problem)
		}
		for _, e := range all.Events {
			out = append(out, e.Reason)
		}
		return out
	}
	require.Equal(t, []string{"1", "2", "3", "", "4", "5", "6"}, seen("carol"))
	require.Equal(t, []string{"1", "2", untold, "", "4", untold, untold}, seen("ann"))
	require.Equal(t, []string{untold, untold, untold, "", untold, untold, untold}, seen("eve"))
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

// TestAddressesFromNodes checks that the manager knows which addresses of JobTrackers come from holders
// of the secret.
func TestAddressesFromNodes(t *testing.T) {
	in(t, 1, func(w *world) {
		w.create(mrcluster.Spec{Name: "a", Core: 1})
		w.ask("a")
		w.eventually("a master", func() bool { return w.all().Clusters[0].Master != "" })
		c := w.all().Clusters[0]
		s, err := w.service()
		require.NoError(t, err)
		report := &pool.ReportRequest{Node: c.Master, Master: &pool.Master{Cluster: "a", Deployment: c.Deployment},
			Running: []*pool.Running{{Cluster: "a", Deployment: c.Deployment,
				Endpoints: &pool.Endpoints{JobTrackerWeb: "jt:50030"}}}}
		for _, p := range []auth.Principal{{Admin: true}, {Node: c.Master}} {
			got, err := ask(w.ctx, s.owner, func() (status.Endpoints, error) {
				s.hearMaster(p, report)
				return s.endpointsOf("a", c.Deployment), nil
			})
			require.NoError(t, err)
			require.Equal(t, status.Endpoints{JobTrackerWeb: "jt:50030", Trusted: p.Admin}, got)
		}
	})
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
