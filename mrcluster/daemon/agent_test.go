package daemon

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/provision/node"
)

// recording is a follower that records its calls.
type recording struct {
	told   [][]string // nodes that leave
	void   []auth.Claims
	drains []Draining
	copies chan []mrcluster.Copy
}

func (r *recording) Follow(d mrcluster.Desired, _ node.Endpoints) {
	r.told = append(r.told, d.Leaving)
}
func (r *recording) Revoke(tokens []auth.Claims) { r.void = tokens }
func (r *recording) Sample() *mrcluster.Sample   { return nil }
func (r *recording) Drains() []Draining          { return r.drains }
func (r *recording) Stop()                       {}
func (r *recording) Copy(ctx context.Context, copies []mrcluster.Copy) error {
	select {
	case r.copies <- copies:
		return errors.New("no space")
	case <-ctx.Done():
		return ctx.Err()
	}
}

// TestDrainsAreToldApart checks that a drain that is canceled and ordered again counts as a new
// drain. The follower must be told that the first drain has ended, and its reports about the first
// drain must not count for the second.
func TestDrainsAreToldApart(t *testing.T) {
	f := &recording{}
	d := mrcluster.Desired{Cluster: "a", Deployment: 1, Master: true, Leaving: []string{"n"}}
	l := newLeader(d, f)
	l.follow(d, &pool.ReportReply{Leaving: []*pool.Leaving{{Node: "n", Id: 7}}}, node.Endpoints{})
	f.drains = []Draining{{Node: "n", Done: true}, {Node: "stranger", Done: true}}
	require.EqualValues(t, 7, l.report().Drain[0].Id)
	require.Len(t, l.report().Drain, 1)
	l.follow(d, &pool.ReportReply{Leaving: []*pool.Leaving{{Node: "n", Id: 8}}}, node.Endpoints{})
	require.Equal(t, [][]string{{"n"}, nil, {"n"}}, f.told)
}

func TestCopiesAreMadeOnceAndToldUntilHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &recording{copies: make(chan []mrcluster.Copy, 1)}
		l := newLeader(mrcluster.Desired{Cluster: "a", Deployment: 1}, f)
		order := &pool.CopyOrder{Id: 3, Copy: []*pool.Copy{{From: "x", To: "y"}}}
		for range 3 {
			l.order(order)
			synctest.Wait()
		}
		require.Len(t, f.copies, 1)
		require.Equal(t, []mrcluster.Copy{{From: "x", To: "y"}}, <-f.copies)
		require.Equal(t, "no space", l.report().Copied.Error)
		require.EqualValues(t, 3, l.report().Copied.Id)
		order.Id = 4 // a retry
		l.order(order)
		synctest.Wait()
		require.Len(t, f.copies, 1)
		l.order(nil)
		require.Nil(t, l.report().Copied)
		l.order(&pool.CopyOrder{Id: 5}) // the copy blocks because the channel is full
		l.stop()
	})
}

// agentOf returns an agent in a synctest bubble. Its node runs only the processes that the agent
// orders.
func agentOf(t *testing.T, dir string, n *fakeNode, answer func(*pool.ReportRequest) (*pool.ReportReply,
	error)) *Agent {
	a, err := NewAgent(AgentConfig{Node: "n", Beat: time.Second, Services: n,
		Lead: func() Follower { return &recording{} }, Dir: dir, Log: slog.New(slog.DiscardHandler),
		Find: func() (string, error) { return "m", nil },
		call: func(_ context.Context, _ string, in *pool.ReportRequest) (*pool.ReportReply, error) {
			return answer(in)
		}}, &Peers{})
	require.NoError(t, err)
	return a
}

// TestOwnershipOutlivesTheAgent checks that the node's owner survives a restart of the agent while
// a process of that pool is still running.
func TestOwnershipOutlivesTheAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, n := t.TempDir(), &fakeNode{name: "n"}
		spec := &pool.Spec{Name: "a", Core: 1}
		order := &pool.ReportReply{Pool: "p", Incarnation: 5, Cluster: "a", Deployment: 1, Kind: "core", Spec: spec}
		a := agentOf(t, dir, n, func(*pool.ReportRequest) (*pool.ReportReply, error) { return order, nil })
		require.NoError(t, a.beat(t.Context()))

		var seen *pool.ReportRequest
		older := &pool.ReportReply{Pool: "p", Incarnation: 4} // the reply of a replaced manager, which orders an idle node
		b := agentOf(t, dir, n, func(in *pool.ReportRequest) (*pool.ReportReply, error) { seen = in; return older, nil })
		require.NoError(t, b.beat(t.Context()))
		require.Equal(t, "p", seen.Pool)
		require.EqualValues(t, 5, seen.Incarnation)
		require.Len(t, n.Runs(), 1, "it is not obeyed")

		older.Incarnation = 6
		require.NoError(t, b.beat(t.Context()))
		require.Empty(t, n.Runs())
		require.NoError(t, b.beat(t.Context()))
		require.Empty(t, seen.Pool, "nobody's node")

		require.NoError(t, os.WriteFile(filepath.Join(dir, ownershipFile), []byte("?"), 0o600))
		_, err := NewAgent(AgentConfig{Dir: dir}, &Peers{})
		require.True(t, failure.Is(err, failure.Corrupt), "%v", err)
	})
}

// TestWildAnswers checks that the agent ignores invalid replies.
func TestWildAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &fakeNode{name: "n"}
		for _, r := range []*pool.ReportReply{
			{Pool: "p", Cluster: "a", Deployment: 1, Kind: "giant", Spec: &pool.Spec{Name: "a", Core: 1}},
			{Pool: "p", Cluster: "a", Deployment: 1, Kind: "core"},
			{Pool: "p", Cluster: "../../etc", Deployment: 1, Kind: "core", Spec: &pool.Spec{Name: "../../etc", Core: 1}},
			{Pool: "p", Cluster: "b", Deployment: 1, Kind: "core", Spec: &pool.Spec{Name: "a", Core: 1}},
			{Pool: "p", Cluster: "a", Deployment: 1, Spec: &pool.Spec{Name: "a", Core: 1}},
		} {
			a := agentOf(t, t.TempDir(), n, func(*pool.ReportRequest) (*pool.ReportReply, error) { return r, nil })
			require.Error(t, a.beat(t.Context()), "%v", r)
			require.Empty(t, n.Runs())
		}
	})
}

// shared returns a configuration with a secret file, so that daemons may listen beyond loopback.
func shared(t *testing.T) *conf.Config {
	file := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(file, bytes.Repeat([]byte("x"), 32), 0o600))
	c := conf.New()
	c.Set(conf.SecuritySecretFile.Name, file, "test")
	return c
}

func TestSettings(t *testing.T) {
	_, err := FromConf(conf.New(), "10.0.0.1")
	require.ErrorContains(t, err, "howdah.security.secret.file is not set")
	c := shared(t)
	cfg, err := FromConf(c, "10.0.0.1")
	require.NoError(t, err)
	require.NoError(t, cfg.validate())
	require.Equal(t, []string{"10.0.0.1:9011", "10.0.0.1:50090"}, []string{cfg.Addr, cfg.HTTPAddr})
	want := mrcluster.DefaultConfig()
	require.Equal(t, want, cfg.Machine, "the table has the machine's defaults")
	for key, value := range map[string]string{"howdah.mrcluster.grow": "core", "howdah.mrcluster.window": "day",
		"howdah.mrcluster.shrink": "fast", conf.MRClusterWeights.Name: "XX",
		"howdah.mrcluster.interval.ms": "1", "howdah.mrcluster.weights.psi": "2", "howdah.mrcluster.weights.a": "1",
		"howdah.gossip.key.file": "/none", conf.SecurityRPCAddresses.Name: "nowhere", conf.MRClusterNodes.Name: "-1"} {
		c := shared(t)
		c.Set(key, value, "test")
		_, err := FromConf(c, "h")
		require.True(t, failure.Is(err, failure.Config), "%s: %v", key, err)
	}
	for key, value := range map[string]string{conf.MRClusterAgentName.Name: "a/b", "howdah.mrcluster.heartbeat.ms": "1"} {
		c := conf.New()
		c.Set(key, value, "test")
		_, err := NodeFromConf(c, []string{"h:1"})
		require.True(t, failure.Is(err, failure.Config), "%s: %v", key, err)
	}
	_, err = NodeFromConf(conf.New(), nil)
	require.True(t, failure.Is(err, failure.Config), "%v", err)
}
