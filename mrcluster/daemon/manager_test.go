package daemon

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/internal/gossip"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
)

// in runs a test in a synctest bubble with a pool of the given number of nodes.
func in(t *testing.T, nodes int, f func(w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nodes, nil)
		defer w.end()
		f(w)
	})
}

func TestAgentLostWhileDeploying(t *testing.T) {
	in(t, 4, func(w *world) {
		w.create(mrcluster.Spec{Name: "a", Core: 3})
		w.ask("a")
		w.eventually("the deployment to begin", func() bool { return w.status("a").State == mrcluster.Deploying })
		lost := ""
		for _, n := range w.all().Nodes {
			if n.State == mrcluster.Starting && !n.Master {
				lost = n.Name
			}
		}
		require.NotEmpty(t, lost)
		for _, n := range w.nodes {
			if n.name == lost {
				n.stop()
			}
		}
		w.run("a", 10)
		require.EqualValues(t, 3, w.status("a").Cores)
		w.eventually("the work to be done", func() bool { return w.done("a") })
	})
}

func TestMasterLostWhileDeploying(t *testing.T) {
	in(t, 3, func(w *world) {
		w.create(mrcluster.Spec{Name: "a", Core: 2})
		w.ask("a")
		w.eventually("a master", func() bool { return w.status("a").Master != "" })
		for _, n := range w.nodes {
			if n.name == w.status("a").Master {
				n.stop()
			}
		}
		w.run("a", 10)
		require.Greater(t, w.status("a").Deployment, int64(1), "deployed again")
	})
}

func TestRequestsThatCannotBe(t *testing.T) {
	in(t, 2, func(w *world) {
		s, err := w.service()
		require.NoError(t, err)
		create := func(spec *pool.Spec) error {
			_, err := newProtocol(s.Manager).Create(w.ctx, &pool.CreateRequest{Spec: spec})
			return err
		}
		err = create(&pool.Spec{Name: "big", Core: 3})
		require.True(t, failure.Is(err, failure.Limit), "%v", err)
		require.ErrorContains(t, err, "3 core nodes, but the pool has only 2")
		require.True(t, failure.Is(create(&pool.Spec{Name: "a b", Core: 1}), failure.Usage))
		require.True(t, failure.Is(create(&pool.Spec{Name: "a", Core: 1, Grow: "sideways"}), failure.Usage))
		require.True(t, failure.Is(create(nil), failure.Usage))
		require.NoError(t, create(&pool.Spec{Name: "a", Core: 1}))
		require.True(t, failure.Is(create(&pool.Spec{Name: "a", Core: 1}), failure.Exists))
		_, err = s.Job(w.ctx, "nobody", 0)
		require.True(t, failure.Is(err, failure.NotFound), "%v", err)
		_, err = s.Status(w.ctx, "nobody")
		require.True(t, failure.Is(err, failure.NotFound), "%v", err)
		err = s.Remove(w.ctx, "nobody", false)
		require.True(t, failure.Is(err, failure.NotFound), "%v", err)
	})
}

// TestSignsOfLife checks that a client that prepares a job keeps a deployment alive, but does not
// revive one that has ended.
func TestSignsOfLife(t *testing.T) {
	in(t, 2, func(w *world) {
		w.create(mrcluster.Spec{Name: "a", Core: 1})
		w.run("a", 0)
		d := w.status("a").Deployment
		sign := func() mrcluster.ClusterState {
			s, err := w.service()
			require.NoError(t, err)
			c, err := s.Job(w.ctx, "a", d)
			require.NoError(t, err)
			return c.State
		}
		for range 30 {
			require.Equal(t, mrcluster.Active, sign())
			time.Sleep(time.Second)
		}
		w.eventually("it to be given up", func() bool { return w.status("a").State == mrcluster.Defined })
		require.Equal(t, mrcluster.Defined, sign())
	})
}

// TestSavingIsTriedAgain checks that an MR-cluster whose output cannot be saved is kept until a
// save succeeds.
func TestSavingIsTriedAgain(t *testing.T) {
	in(t, 2, func(w *world) {
		w.copyFail = errors.New("no space")
		w.create(mrcluster.Spec{Name: "a", Core: 1, Save: []mrcluster.Copy{{From: "/out", To: "/y"}}})
		w.run("a", 5)
		w.eventually("a failure", func() bool { return w.status("a").LastError != "" })
		require.Contains(t, w.status("a").LastError, "no space")
		time.Sleep(time.Minute)
		require.Equal(t, mrcluster.Saving, w.status("a").State)
		require.Empty(t, w.copied)
		w.mu.Lock()
		w.copyFail = nil
		w.mu.Unlock()
		w.eventually("it to be given up", func() bool { return w.status("a").State == mrcluster.Defined })
		require.Equal(t, []string{"/out=/y"}, w.copied)
	})
}

// TestHundredChangesInAMinute checks that all deployments end and all nodes become free after a
// hundred random requests within a minute.
func TestHundredChangesInAMinute(t *testing.T) {
	in(t, 8, func(w *world) {
		seed := uint64(time.Now().UnixNano())
		r := rand.New(rand.NewPCG(seed, 0))
		t.Logf("seed %d", seed)
		for i := range 100 {
			name := fmt.Sprintf("c%d", r.IntN(4))
			s, err := w.service()
			require.NoError(t, err)
			switch r.IntN(4) {
			case 0:
				err = s.Create(w.ctx, &mrcluster.Spec{Name: name, Core: 1 + r.IntN(3), HDFS: i%2 == 0,
					Grow: []mrcluster.Kind{mrcluster.Transient, mrcluster.TransientCore}[r.IntN(2)]})
			case 1:
				err = s.Remove(w.ctx, name, r.IntN(2) == 0)
			default:
				if _, err = s.Job(w.ctx, name, 0); err == nil {
					w.mu.Lock()
					w.work[name] = r.IntN(60)
					w.mu.Unlock()
				}
			}
			switch failure.KindOf(err) {
			case failure.Exists, failure.NotFound, failure.Usage:
			default:
				require.NoError(t, err)
			}
			time.Sleep(600 * time.Millisecond)
		}
		w.eventually("all to be given up", func() bool {
			for _, c := range w.all().Clusters {
				if c.State != mrcluster.Defined {
					return false
				}
			}
			return w.free() == len(w.nodes)
		})
	})
}

func TestNodeOfAnotherPool(t *testing.T) {
	in(t, 1, func(w *world) {
		s, err := w.service()
		require.NoError(t, err)
		report := func(r *pool.ReportRequest) error {
			r.Node, r.Protocol = "x", rpc.Protocol
			_, err := s.Report(w.ctx, r)
			return err
		}
		runs := []*pool.Running{{Cluster: "a", Deployment: 1}}
		err = report(&pool.ReportRequest{Pool: "other", Incarnation: 1, Running: runs})
		require.True(t, failure.Is(err, failure.Stale), "%v", err)
		require.ErrorContains(t, err, "to pool other")
		err = report(&pool.ReportRequest{Pool: s.identity.Pool, Incarnation: s.identity.Incarnation + 1, Running: runs})
		require.True(t, failure.Is(err, failure.Stale), "%v", err)
		require.ErrorContains(t, err, "a later manager")
		require.NoError(t, report(&pool.ReportRequest{Pool: "other", Incarnation: 1}), "a node that runs nothing may change")
		require.Error(t, report(&pool.ReportRequest{Running: []*pool.Running{{Cluster: "a", Phase: 9}}}))
		require.Error(t, report(&pool.ReportRequest{Running: make([]*pool.Running, maxRuns+1)}))
		_, err = s.Report(w.ctx, &pool.ReportRequest{Node: "x", Protocol: 99_000})
		require.True(t, failure.Is(err, failure.Stale), "%v", err)
	})
}

func TestRivals(t *testing.T) {
	me := identity{Pool: "p", Incarnation: 10}
	for _, c := range []struct {
		other gossip.Meta
		kind  failure.Kind // Unknown = this manager does not yield
	}{
		{gossip.Meta{Role: gossip.Manager, Pool: "p", Epoch: 10}, failure.Unknown}, // this manager itself
		{gossip.Meta{Role: gossip.Manager, Pool: "p", Epoch: 9}, failure.Unknown},
		{gossip.Meta{Role: gossip.Manager, Pool: "p", Epoch: 11}, failure.Stale},
		{gossip.Meta{Role: gossip.Manager, Pool: "q", Epoch: 9}, failure.Exists},
		{gossip.Meta{Role: gossip.Manager, Pool: "q", Epoch: 11}, failure.Unknown},
		{gossip.Meta{Role: gossip.Manager, Pool: "a", Epoch: 10}, failure.Exists},
		{gossip.Meta{Role: gossip.Agent, Pool: "q", Epoch: 9}, failure.Unknown},
	} {
		require.Equal(t, c.kind, failure.KindOf(me.yieldTo(c.other)), "%+v", c.other)
	}
}

func TestSecondManagerOnADirectory(t *testing.T) {
	in(t, 0, func(w *world) {
		err := (&Manager{cfg: w.cfg}).recover()
		require.True(t, failure.Is(err, failure.Exists), "%v", err)
		require.ErrorContains(t, err, conf.MRClusterManagerDir.Name)
	})
}

func TestIncarnationsGrow(t *testing.T) {
	dir := t.TempDir()
	a, err := nextIdentity(dir, disk.OS, time.UnixMilli(1000))
	require.NoError(t, err)
	b, err := nextIdentity(dir, disk.OS, time.UnixMilli(500)) // the system clock was set back
	require.NoError(t, err)
	require.Equal(t, a.Pool, b.Pool)
	require.Equal(t, []int64{1000, 1001}, []int64{a.Incarnation, b.Incarnation})
	require.NoError(t, os.WriteFile(dir+"/"+identityFile, []byte("{"), 0o600))
	_, err = nextIdentity(dir, disk.OS, time.UnixMilli(1))
	require.True(t, failure.Is(err, failure.Corrupt), "%v", err)
}

// TestClockForgivesPauses checks that the clock excludes the time during which the process was
// suspended, because agents' reports could not arrive.
func TestClockForgivesPauses(t *testing.T) {
	var p pauses
	p.look(lookEvery)
	require.Zero(t, p.total)
	p.look(lookEvery + time.Hour)
	require.Equal(t, time.Hour-lookEvery, p.total)
	p.look(lookEvery + time.Hour + pause - 1)
	require.Equal(t, time.Hour-lookEvery, p.total)
}

func TestClockDoesNotGoBack(t *testing.T) {
	last := time.Now().Add(time.Hour).UnixMilli() // time of the last fact of a manager with a wrong clock
	require.GreaterOrEqual(t, newClock(last).now(), last)
	require.Less(t, newClock(0).now(), last)
}
