package daemon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/factlog"
	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/provision/node"
	"github.com/howdah/howdah/mrcluster/status"
	"github.com/howdah/howdah/mrcluster/weight"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a pool in a synctest bubble. Tests can kill its manager, which has a real journal. Its
// agents are real, and its nodes are simulated.
type world struct {
	t      *testing.T
	dir    string
	cfg    Config
	ctx    context.Context
	stop   context.CancelFunc
	wg     sync.WaitGroup
	nodes  []*fakeNode
	before func(*Manager) // called with every manager before it runs

	mu       sync.Mutex
	manager  *Manager // nil while the manager is down
	starts   int
	work     map[string]int // number of waiting tasks, by MR-cluster
	copied   []string       // completed copies, in the form "from=to"
	copyFail error
	owned    map[string]string // unused
}

func testConfig(dir string) Config {
	m := mrcluster.DefaultConfig()
	m.Interval, m.IdleAfter, m.Threshold, m.DrainTimeout, m.StartTimeout, m.StartTimeoutHDFS, m.Expiry, m.MasterExpiry,
		m.Retry = 4000, 6000, 0.01, 30_000, 20_000, 20_000, 5000, 20_000, 1000
	w, _ := weight.New("TD", weight.Defaults())
	return Config{Machine: m, Weights: "TD", Weighting: w, Dir: dir, Addr: "127.0.0.1:0", HTTPAddr: "127.0.0.1:0",
		Secret: auth.NewSecret(), Log: slog.New(slog.DiscardHandler)}
}

// newWorld starts a manager and its nodes. Call it in a synctest bubble.
func newWorld(t *testing.T, nodes int, before func(*Manager)) *world {
	dir := tempDir(t)
	w := &world{t: t, dir: dir, cfg: testConfig(dir), work: map[string]int{}, before: before, owned: map[string]string{}}
	w.ctx, w.stop = context.WithCancel(auth.With(t.Context(), auth.Principal{Admin: true}))
	w.wg.Go(w.runManagers)
	for i := range nodes {
		w.addNode(fmt.Sprintf("n%d", i+1))
	}
	w.eventually("all nodes to come", func() bool { return len(w.all().Nodes) == nodes })
	return w
}

func (w *world) end() {
	w.stop()
	w.wg.Wait()
}

// runManagers runs managers one after another. It starts the next shortly after the previous one
// has ended.
func (w *world) runManagers() {
	for w.ctx.Err() == nil {
		m := &Manager{cfg: w.cfg}
		require.NoError(w.t, m.recover())
		if w.before != nil {
			w.before(m)
		}
		w.set(m)
		err := m.owner.run(w.ctx, m.first)
		w.set(nil)
		require.NoError(w.t, m.owner.m.Err())
		require.NoError(w.t, m.close())
		if err != nil && !errors.Is(err, errCrash) {
			w.t.Errorf("the manager ended: %v", err)
			return
		}
		sleep(w.ctx, 700*time.Millisecond)
	}
}

func (w *world) set(m *Manager) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.manager = m
	if m != nil {
		w.starts++
	}
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// service returns the service of the running manager.
func (w *world) service() (*service, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.manager == nil {
		return nil, failure.New(failure.Unreachable, "call", "manager", nil)
	}
	return &service{Manager: w.manager}, nil
}

type none struct{}

// insist calls call, and retries while the manager is down.
func insist[T any](w *world, call func(*service) (T, error)) (T, error) {
	for {
		s, err := w.service()
		var v T
		if err == nil {
			v, err = call(s)
		}
		if !failure.Is(err, failure.Unreachable) {
			return v, err
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// create requests an MR-cluster. It ignores the error for an MR-cluster that already exists,
// because the manager can be killed after accepting the request.
func (w *world) create(s mrcluster.Spec) {
	_, err := insist(w, func(x *service) (none, error) { return none{}, x.Create(w.ctx, &s) })
	if !failure.Is(err, failure.Exists) || w.startsSoFar() == 1 {
		require.NoError(w.t, err)
	}
}

func (w *world) startsSoFar() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.starts
}

// run submits tasks to an MR-cluster, like howdah run. It first requests the MR-cluster and waits
// until it is active.
func (w *world) run(name string, tasks int) {
	w.ask(name)
	w.eventually(name+" to be active", func() bool { return w.status(name).State == mrcluster.Active })
	w.ask(name)
	w.mu.Lock()
	w.work[name] += tasks
	w.mu.Unlock()
}

func (w *world) ask(name string) {
	_, err := insist(w, func(x *service) (*status.Cluster, error) { return x.Job(w.ctx, name, 0) })
	require.NoError(w.t, err)
}

func (w *world) all() *status.Pool {
	s, err := insist(w, func(x *service) (*status.Pool, error) { return x.Status(w.ctx, "") })
	require.NoError(w.t, err)
	return s
}

func (w *world) status(name string) *status.Cluster {
	for _, c := range w.all().Clusters {
		if c.Spec.Name == name {
			return c
		}
	}
	return &status.Cluster{ClusterView: mrcluster.ClusterView{State: 99}}
}

func (w *world) eventually(what string, ok func() bool) {
	w.t.Helper()
	for end := time.Now().Add(5 * time.Minute); !ok(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(end) {
			w.t.Fatalf("waited for %s: %v", what, w.all())
		}
	}
}

func (w *world) done(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.work[name] == 0
}

// fakeNode is a simulated node. Its daemons are up a second after they are ordered.
type fakeNode struct {
	w    *world
	name string
	stop context.CancelFunc

	mu   sync.Mutex
	want mrcluster.Desired
	runs []fakeRun
}

type fakeRun struct {
	cluster    string
	deployment int64
	since      time.Time
}

func (w *world) addNode(name string) *fakeNode {
	n := &fakeNode{w: w, name: name}
	w.nodes = append(w.nodes, n)
	n.start()
	return n
}

// start starts the node's agent.
func (n *fakeNode) start() {
	ctx, stop := context.WithCancel(n.w.ctx)
	n.stop = stop
	dir := tempDir(n.w.t)
	n.w.wg.Go(func() {
		a, err := NewAgent(AgentConfig{Node: n.name, Addr: n.name + ":1", Beat: 500 * time.Millisecond, Services: n,
			Lead: func() Follower { return &fakeFollower{w: n.w} },
			Dir:  dir, Log: n.w.cfg.Log, Find: func() (string, error) { return "manager", nil },
			call: func(ctx context.Context, _ string, in *pool.ReportRequest) (*pool.ReportReply, error) {
				s, err := n.w.service()
				if err != nil {
					return nil, err
				}
				return s.Report(ctx, in)
			}}, &Peers{})
		require.NoError(n.w.t, err)
		require.NoError(n.w.t, a.Run(ctx))
	})
}

func (n *fakeNode) Apply(d mrcluster.Desired) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.want = d
	var keep []fakeRun
	for _, r := range n.runs {
		if r.cluster == d.Cluster && r.deployment == d.Deployment {
			keep = append(keep, r)
		}
	}
	if d.Cluster != "" && len(n.runs) == 0 {
		keep = append(keep, fakeRun{d.Cluster, d.Deployment, time.Now()})
	}
	n.runs = keep
}

func (n *fakeNode) Runs() (out []mrcluster.Running) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, r := range n.runs {
		x := mrcluster.Running{Cluster: r.cluster, Deployment: r.deployment}
		if time.Since(r.since) > time.Second {
			x.Phase = mrcluster.PhaseUp
		}
		out = append(out, x)
	}
	return out
}

func (n *fakeNode) Endpoints() node.Endpoints {
	n.mu.Lock()
	defer n.mu.Unlock()
	return node.Endpoints{Cluster: n.want.Cluster, Deployment: n.want.Deployment, JobTracker: n.name + ":9"}
}

func (n *fakeNode) Stop() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.runs = nil
}

// upIn reports whether the node's daemons for an MR-cluster are up.
func (n *fakeNode) upIn(cluster string) bool {
	for _, r := range n.Runs() {
		if r.Cluster == cluster && r.Phase == mrcluster.PhaseUp {
			return true
		}
	}
	return false
}

// fakeFollower simulates an MR-cluster. Each of its nodes finishes two tasks per second, and a
// drain takes two seconds.
type fakeFollower struct {
	w    *world
	mu   sync.Mutex
	d    mrcluster.Desired
	last time.Time
	from map[string]time.Time // start time of each drain, by node
}

func (f *fakeFollower) Follow(d mrcluster.Desired, at node.Endpoints) {
	f.mu.Lock()
	defer f.mu.Unlock()
	from := map[string]time.Time{}
	for _, n := range d.Leaving {
		if from[n] = f.from[n]; from[n].IsZero() {
			from[n] = time.Now()
		}
	}
	f.d, f.from = d, from
}

func (f *fakeFollower) Revoke([]auth.Claims) {}

func (f *fakeFollower) Sample() *mrcluster.Sample {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.w.mu.Lock()
	defer f.w.mu.Unlock()
	up := 0
	for _, n := range f.w.nodes {
		if n.upIn(f.d.Cluster) {
			up++
		}
	}
	if time.Since(f.last) >= 500*time.Millisecond {
		f.last = time.Now()
		f.w.work[f.d.Cluster] = max(0, f.w.work[f.d.Cluster]-up)
	}
	left := int64(f.w.work[f.d.Cluster])
	return &mrcluster.Sample{Jobs: min(1, left), WaitingJobs: min(1, left), WaitingTasks: left}
}

func (f *fakeFollower) Drains() (out []Draining) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, n := range f.d.Leaving {
		out = append(out, Draining{Node: n, Left: 1, Done: time.Since(f.from[n]) > 2*time.Second})
	}
	return out
}

func (f *fakeFollower) Copy(ctx context.Context, copies []mrcluster.Copy) error {
	sleep(ctx, time.Second)
	f.w.mu.Lock()
	defer f.w.mu.Unlock()
	for _, c := range copies {
		if ctx.Err() == nil && f.w.copyFail == nil {
			f.w.copied = append(f.w.copied, c.From+"="+c.To)
		}
	}
	return errors.Join(ctx.Err(), f.w.copyFail)
}

func (f *fakeFollower) Stop() {}

// tempDir returns a temporary directory, in memory if possible. On disk, hundreds of managers would
// take minutes.
func tempDir(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "howdah-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

// errCrash is the error that kills the manager.
var errCrash = errors.New("killed")

// crashing is a journal that kills its manager at a certain fact: before, during, or after the
// write.
type crashing struct {
	factlog.Writer
	facts *int // number of facts until the crash, counted across all managers
	how   string
}

func (c *crashing) Append(text []byte) error {
	n := bytes.Count(text, []byte("\n"))
	if *c.facts -= n; *c.facts > 0 || *c.facts+n <= 0 {
		return c.Writer.Append(text)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	whole := bytes.Join(lines[:n+*c.facts-1], nil)
	this := lines[n+*c.facts-1]
	switch c.how {
	case "torn":
		whole = append(whole, this[:len(this)/2]...)
	case "after":
		whole = append(whole, this...)
	}
	if err := c.Writer.Append(whole); err != nil {
		return err
	}
	return errCrash
}

func (w *world) remove(name string) {
	_, err := insist(w, func(x *service) (none, error) { return none{}, x.Remove(w.ctx, name, false) })
	if !failure.Is(err, failure.NotFound) || w.startsSoFar() == 1 {
		require.NoError(w.t, err)
	}
}

// free returns the number of free nodes.
func (w *world) free() (n int) {
	for _, x := range w.all().Nodes {
		if x.State == mrcluster.Free {
			n++
		}
	}
	return n
}
