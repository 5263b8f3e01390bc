package master

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/rpc/rpctest"
	"github.com/howdah/howdah/internal/transport"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/daemon"
	"github.com/howdah/howdah/mrcluster/provision/node"
)

// A gated JobTracker implements only the gate.
type gated struct {
	transport.Jobs
	mu         sync.Mutex
	closed     string
	unfinished int32
	epoch      int64
	asked      int
}

func (g *gated) Cluster(context.Context) (*status.Cluster, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return &status.Cluster{Closed: g.closed}, nil
}

func (g *gated) List(context.Context, status.Filter) ([]*status.Job, error) {
	return nil, nil
}

func (g *gated) TakeJobs(_ context.Context, closed, _ string) (transport.Rest, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = closed
	g.asked++
	return transport.Rest{Unfinished: g.unfinished, Epoch: g.epoch}, nil
}

func (g *gated) with(do func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	do()
}

func (g *gated) is(closed bool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return (g.closed != "") == closed
}

func serveGated(t *testing.T, jobs transport.Jobs) string {
	return rpctest.Serve(t, func(s grpc.ServiceRegistrar) { transport.Register(s, jobs) })
}

func followed(t *testing.T, addr string, saving bool, copied func() error) *Master {
	m := New(Config{Conf: conf.New(), Every: 5 * time.Millisecond, Copy: func(context.Context, *mrcluster.Spec, string,
		mrcluster.Copy) error {
		return copied()
	}})
	t.Cleanup(m.Stop)
	m.Follow(mrcluster.Desired{Cluster: "a", Saving: saving, Spec: &mrcluster.Spec{Name: "a", Core: 1}},
		node.Endpoints{JobTracker: addr})
	return m
}

// TestGateFollows checks that the gate follows the desired state, even after a restart has reopened
// the JobTracker.
func TestGateFollows(t *testing.T) {
	g := &gated{}
	addr := serveGated(t, g)
	m := followed(t, addr, true, nil)
	closes := func() bool { return g.is(true) }
	require.Eventually(t, closes, time.Minute, time.Millisecond)
	g.with(func() { g.closed = "" })
	require.Eventually(t, closes, time.Minute, time.Millisecond)
	m.Follow(mrcluster.Desired{Cluster: "a", Spec: &mrcluster.Spec{Name: "a", Core: 1}}, node.Endpoints{JobTracker: addr})
	require.Eventually(t, func() bool { return g.is(false) }, time.Minute, time.Millisecond)
}

// TestSavesAtRest checks that a save starts to copy only after the last job has ended.
func TestSavesAtRest(t *testing.T) {
	g := &gated{unfinished: 1}
	m := followed(t, serveGated(t, g), true, func() error {
		require.True(t, g.is(true))
		g.with(func() { require.Zero(t, g.unfinished) })
		return nil
	})
	done := make(chan error, 1)
	go func() { done <- m.Copy(t.Context(), []mrcluster.Copy{{From: "/a", To: "/b"}}) }()
	require.Eventually(t, func() bool { g.mu.Lock(); defer g.mu.Unlock(); return g.asked > 3 }, time.Minute,
		time.Millisecond)
	require.Empty(t, done)
	g.with(func() { g.unfinished = 0 })
	require.NoError(t, <-done)

	ctx, cancel := context.WithCancel(t.Context())
	g.with(func() { g.unfinished = 1 })
	go func() { done <- m.Copy(ctx, nil) }()
	cancel()
	require.Error(t, <-done)
}

// TestNotAtRestAllTheTime checks that a save fails if the JobTracker restarts during the copy,
// because it might have accepted a job.
func TestNotAtRestAllTheTime(t *testing.T) {
	for _, disturb := range []func(*gated){func(g *gated) { g.epoch++ }, func(g *gated) { g.unfinished++ }} {
		g := &gated{}
		m := followed(t, serveGated(t, g), true, func() error { g.with(func() { disturb(g) }); return nil })
		require.ErrorContains(t, m.Copy(t.Context(), []mrcluster.Copy{{}}), "jobs may have arrived")
	}
	m := followed(t, "", true, nil)
	require.True(t, failure.Is(m.Copy(t.Context(), nil), failure.Unreachable))
}

// TestNothingToSaveAtRest checks that a missing source ends the save, unless jobs that create it
// might have arrived.
func TestNothingToSaveAtRest(t *testing.T) {
	missing := failure.New(failure.NotFound, "copy", "/out", daemon.ErrMissing)
	g := &gated{}
	m := followed(t, serveGated(t, g), true, func() error { return missing })
	require.ErrorIs(t, m.Copy(t.Context(), []mrcluster.Copy{{}}), daemon.ErrMissing)
	m = followed(t, serveGated(t, g), true, func() error { g.with(func() { g.epoch++ }); return missing })
	err := m.Copy(t.Context(), []mrcluster.Copy{{}})
	require.NotErrorIs(t, err, daemon.ErrMissing)
	require.ErrorContains(t, err, "jobs may have arrived")
}

// TestOlderJobTracker checks that a save also succeeds with an older JobTracker, which has no gate.
func TestOlderJobTracker(t *testing.T) {
	addr := serveGated(t, &fakeJobTracker{})
	m := followed(t, addr, true, nil)
	require.NoError(t, m.Copy(t.Context(), nil))
}
