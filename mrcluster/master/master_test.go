package master

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	grpcstatus "google.golang.org/grpc/status"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/hdfs/admin"
	"github.com/howdah/howdah/internal/rpc/rpctest"
	"github.com/howdah/howdah/internal/transport"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/daemon"
	"github.com/howdah/howdah/mrcluster/provision/node"
)

// A fakeJobTracker has TaskTrackers that complete rerun drains immediately and other drains never.
type fakeJobTracker struct {
	transport.Jobs
	mu      sync.Mutex
	status  status.Cluster
	jobs    []*status.Job
	orders  []string
	reading int
	looks   int
}

func (f *fakeJobTracker) Cluster(context.Context) (*status.Cluster, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.looks++
	out := &status.Cluster{Finished: f.status.Finished}
	for _, t := range f.status.Trackers {
		c := &status.Tracker{Name: t.Name, Host: t.Host, Maps: t.Maps, Reduces: t.Reduces}
		if d := t.Drain; d != nil {
			c.Drain = &status.Drain{How: d.How, Why: d.Why, DoneMs: d.DoneMs, Attempts: d.Attempts, Outputs: d.Outputs}
		}
		out.Trackers = append(out.Trackers, c)
	}
	return out, nil
}

func (f *fakeJobTracker) List(context.Context, status.Filter) ([]*status.Job, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.jobs, nil
}

func (f *fakeJobTracker) Status(_ context.Context, id job.ID, _ status.Query) (*status.Job, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reading++
	for _, j := range f.jobs {
		if j.ID == id {
			return j, nil
		}
	}
	return nil, failure.New(failure.NotFound, "show", id.String(), nil)
}

func (f *fakeJobTracker) DrainTracker(_ context.Context, name string, how status.DrainMode,
	by transport.By) (*status.Tracker, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.orders = append(f.orders, name+" "+string(how))
	for _, t := range f.status.Trackers {
		if t.Name != name {
			continue
		}
		if how == status.DrainOff {
			t.Drain = nil
			return t, nil
		}
		t.Drain = &status.Drain{How: how, Why: by.Why, Attempts: 2, Outputs: 3}
		if how == status.DrainRerun {
			t.Drain.Attempts, t.Drain.Outputs, t.Drain.DoneMs = 0, 0, 1
		}
		return t, nil
	}
	return nil, failure.New(failure.NotFound, "drain", name, nil)
}

// TakeJobs returns the error of a JobTracker that is too old for this call.
func (f *fakeJobTracker) TakeJobs(context.Context, string, string) (transport.Rest, error) {
	return transport.Rest{}, grpcstatus.Error(codes.Unimplemented, "method TakeJobs not implemented")
}

func (f *fakeJobTracker) change(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do()
}

func (f *fakeJobTracker) ordered() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.orders)
}

// lookedAt waits until the Master has looked at the fake a few more times.
func (f *fakeJobTracker) lookedAt(t *testing.T) {
	t.Helper()
	looks := func() int { f.mu.Lock(); defer f.mu.Unlock(); return f.looks }
	before := looks()
	eventually(t, "several looks", func() bool { return looks() > before+3 })
}

func serveFake(t *testing.T, f *fakeJobTracker) string {
	return rpctest.Serve(t, func(s grpc.ServiceRegistrar) { transport.Register(s, f) })
}

// A fakeStorage completes a decommission when the test allows it.
type fakeStorage struct {
	mu      sync.Mutex
	nodes   []admin.DataNode
	missing map[string]int
	silent  map[string]bool // by address
	broken  error
}

func (f *fakeStorage) Report(context.Context) ([]admin.DataNode, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.nodes {
		if !f.silent[f.nodes[i].Addr()] {
			f.nodes[i].LastContact = time.Now()
		}
	}
	return slices.Clone(f.nodes), f.broken
}

func (f *fakeStorage) Missing(context.Context) (map[string]int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.missing, nil
}

func (f *fakeStorage) set(s admin.State, addrs []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.nodes {
		if slices.Contains(addrs, f.nodes[i].Addr()) {
			f.nodes[i].State = s
		}
	}
}

func (f *fakeStorage) Decommission(_ context.Context, _ string, addrs ...string) error {
	f.set(admin.Decommissioning, addrs)
	return nil
}

func (f *fakeStorage) Join(_ context.Context, _ string, addrs ...string) error {
	f.set(admin.InService, addrs)
	return nil
}

func (f *fakeStorage) Close() error { return nil }

func dataNode(host string, port int) admin.DataNode {
	return admin.DataNode{Host: host, IP: "10.0.0.1", Port: port, Live: true, Used: 1000, Remaining: 4000, Blocks: 10}
}

// gone names a drained and released node. Its daemons have not ended yet.
const gone = "n4"

func follow(t *testing.T, j *fakeJobTracker, s *fakeStorage) (*Master, func(leaving ...string)) {
	m := New(Config{Conf: conf.New(), Every: 10 * time.Millisecond, OutputsWait: time.Millisecond,
		Stuck:   200 * time.Millisecond,
		Storage: func(string, string) (Storage, error) { return s, nil }})
	at := node.Endpoints{JobTracker: serveFake(t, j), NameNode: "hdfs://nn:1"}
	t.Cleanup(m.Stop)
	return m, func(leaving ...string) {
		m.Follow(mrcluster.Desired{Cluster: "c", Deployment: 1, Master: true,
			Spec:    &mrcluster.Spec{Name: "c", Core: 2, HDFS: s != nil},
			Leaving: leaving, Staying: slices.DeleteFunc([]string{"n1", "n2", "n3"},
				func(n string) bool { return slices.Contains(leaving, n) })}, at)
	}
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	require.Eventually(t, ok, time.Minute, 5*time.Millisecond, what)
}

func (m *Master) drainOf(name string) (d daemon.Draining) {
	for _, x := range m.Drains() {
		if x.Node == name {
			return x
		}
	}
	return d
}

func TestSample(t *testing.T) {
	written, slow := &job.Counters{}, &job.Counters{}
	written.Builtin[job.OutputBytesWritten] = 70
	slow.Builtin[job.OutputBytesWritten], slow.Builtin[job.MillisMaps] = 70, 10_000_000
	now := time.Now().UnixMilli()
	j := &fakeJobTracker{status: status.Cluster{Finished: 9, Trackers: []*status.Tracker{
		{Name: "a", Host: "n1", Maps: status.Slots{Total: 2}, Reduces: status.Slots{Total: 1}},
		{Name: "b", Host: "n2", Maps: status.Slots{Total: 2}, Reduces: status.Slots{Total: 1}}}},
		jobs: []*status.Job{
			{ID: job.ID{Cluster: "1", Seq: 1}, FinishMs: 5, Maps: status.Tasks{Done: 4}, Reduces: status.Tasks{Done: 1},
				Counters: written},
			{ID: job.ID{Cluster: "1", Seq: 2}, SubmitMs: now - 30_000_000, DeadlineMs: now + 30_000_000,
				PredictedFinishMs: now + 60_000_000, InputBytes: 800, Counters: slow,
				Maps: status.Tasks{Total: 8, Done: 2, Running: 3, Waiting: 3}},
		}}
	dead := dataNode("n3", 3)
	dead.Live = false
	s := &fakeStorage{nodes: []admin.DataNode{dataNode("n1", 1), dataNode("n2", 2), dead}}
	m, follow := follow(t, j, s)
	follow()
	var got *mrcluster.Sample
	eventually(t, "a sample", func() bool { got = m.Sample(); return got != nil })
	require.InDelta(t, 3, got.Slowdown, 0.05, "30,000 s, by 8 maps of 5000 s on 4 slots")
	require.InDelta(t, 0.5, got.Lateness, 1e-9, "30,000 s late, of 60,000 s that the job may take")
	got.Slowdown, got.Lateness = 0, 0
	require.Equal(t, &mrcluster.Sample{Jobs: 1, WaitingJobs: 1, WaitingTasks: 3, WaitingBytes: 800, Bytes: 800,
		RunningTasks: 3, Slots: 6, JobsDone: 9, TasksDone: 7,
		Written: 140, Storage: 10_000, Stored: []mrcluster.Stored{{Node: "n1", Bytes: 1000}, {Node: "n2", Bytes: 1000}}}, got)
	eventually(t, "several looks", func() bool { j.mu.Lock(); defer j.mu.Unlock(); return j.reading > 4 })
	s.mu.Lock()
	s.broken = errors.New("no")
	s.mu.Unlock()
	eventually(t, "no sample without the NameNode", func() bool {
		m.Sample()
		time.Sleep(50 * time.Millisecond)
		return m.Sample() == nil
	})
}

func TestDrain(t *testing.T) {
	j := &fakeJobTracker{status: status.Cluster{Trackers: []*status.Tracker{
		{Name: "a", Host: "n1"}, {Name: "b", Host: "n2"},
		{Name: "c", Host: "n3", Drain: &status.Drain{How: "delayed", Why: "by user ada"}},
		{Name: "d", Host: gone, Drain: &status.Drain{How: "delayed", Why: why, DoneMs: 1}}}}}
	s := &fakeStorage{nodes: []admin.DataNode{dataNode("n1", 1), dataNode("n2", 2), dataNode(gone, 4)}}
	s.set(admin.Decommissioned, []string{"10.0.0.1:4"})
	m, follow := follow(t, j, s)
	follow("n2")
	eventually(t, "bytes left", func() bool { d := m.drainOf("n2"); return d.Left == 1000 && !d.Done })
	s.mu.Lock()
	s.missing = map[string]int{"10.0.0.1:2": 4}
	s.mu.Unlock()
	eventually(t, "fewer", func() bool { return m.drainOf("n2").Left == 400 })
	s.set(admin.Decommissioned, []string{"10.0.0.1:2"})
	eventually(t, "none", func() bool { return m.drainOf("n2").Left == 0 })
	require.False(t, m.drainOf("n2").Done, "tasks run there")
	j.change(func() { j.status.Trackers[1].Drain.Attempts = 0 })
	eventually(t, "all gone", func() bool { return m.drainOf("n2").Done })
	j.lookedAt(t)
	require.True(t, m.drainOf("n2").Done, "a drain that is over stays so")
	require.Equal(t, []string{"b delayed", "b rerun"}, j.ordered(), "it does not wait for ever until nobody needs its "+
		"map outputs")

	follow()
	require.Empty(t, m.Drains())
	eventually(t, "called off", func() bool { return len(j.ordered()) == 3 })
	require.Equal(t, "b off", j.ordered()[2], "and what a user drains stays so")
	eventually(t, "in service", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.nodes[1].State == admin.InService
	})
	require.Equal(t, admin.Decommissioned, s.nodes[2].State, "a node that was given up never comes back into service")
}

// TestDataNodeOfFormerTimes checks a node that was drained, released, and assigned again with a new
// DataNode. The NameNode does not yet consider the old DataNode dead. The old DataNode must stay
// out of service, because none of its reported data exists anymore.
func TestDataNodeOfFormerTimes(t *testing.T) {
	s := &fakeStorage{nodes: []admin.DataNode{dataNode("n1", 1), dataNode("n2", 2)}}
	m, follow := follow(t, &fakeJobTracker{}, s)
	follow("n2")
	eventually(t, "it begins", func() bool { return m.drainOf("n2").Left == 1000 })
	s.set(admin.Decommissioned, []string{"10.0.0.1:2"})
	eventually(t, "it is over", func() bool { return m.drainOf("n2").Done })
	s.mu.Lock()
	s.silent = map[string]bool{"10.0.0.1:2": true}
	s.nodes = append(s.nodes, dataNode("n2", 3))
	s.mu.Unlock()
	s.set(admin.Decommissioned, []string{"10.0.0.1:3"}) // an earlier DataNode that left used this port
	follow()
	state := func(i int) admin.State { s.mu.Lock(); defer s.mu.Unlock(); return s.nodes[i].State }
	eventually(t, "the new one is in service", func() bool { return state(2) == admin.InService })
	require.Equal(t, admin.Decommissioned, state(1))
}

// TestDrainOfWhatIsNotThere checks that a node can leave if it has no DataNode (it is transient) and
// no TaskTracker (it has expired).
func TestDrainOfWhatIsNotThere(t *testing.T) {
	j := &fakeJobTracker{status: status.Cluster{Trackers: []*status.Tracker{{Name: "a", Host: "n1"}}}}
	s := &fakeStorage{nodes: []admin.DataNode{dataNode("n1", 1)}}
	m, follow := follow(t, j, s)
	follow("n7")
	eventually(t, "done", func() bool { return m.drainOf("n7") == daemon.Draining{Node: "n7", Done: true} })
}

// TestTrackersOfFormerNodes checks that the tasks of a released node run again elsewhere even if
// its TaskTracker had no time to deregister. It also checks that the Master does not touch drains
// by administrators.
func TestTrackersOfFormerNodes(t *testing.T) {
	j := &fakeJobTracker{status: status.Cluster{Trackers: []*status.Tracker{{Name: "a", Host: "n1"},
		{Name: "b", Host: gone},
		{Name: "c", Host: gone, Drain: &status.Drain{How: "delayed", Why: "by user ada"}}, {Name: "d", Host: gone,
			Drain: &status.Drain{How: "rerun", Why: why}}}}}
	m := New(Config{Conf: conf.New(), Every: time.Millisecond, Gone: 20 * time.Millisecond})
	t.Cleanup(m.Stop)
	d := mrcluster.Desired{Cluster: "c", Deployment: 1, Master: true, Spec: &mrcluster.Spec{Name: "c", Core: 1}}
	at := node.Endpoints{JobTracker: serveFake(t, j)}
	m.Follow(d, at)
	eventually(t, "a look", func() bool { return m.Sample() != nil })
	require.Empty(t, j.ordered(), "as long as nobody says who stays, nobody is gone")
	d.Staying = []string{"n1"}
	m.Follow(d, at)
	eventually(t, "both are given up", func() bool { return len(j.ordered()) == 2 })
	require.Equal(t, []string{"b immediate", "d immediate"}, j.ordered())
	d.Staying = []string{"n1", gone}
	m.Follow(d, at)
	eventually(t, "they may work again", func() bool { return len(j.ordered()) == 4 })
	require.Equal(t, []string{"b off", "d off"}, j.ordered()[2:])
}

// TestDrainWithoutProgress checks that the Master reports a decommission that makes no progress, until
// it finishes.
func TestDrainWithoutProgress(t *testing.T) {
	j := &fakeJobTracker{}
	s := &fakeStorage{nodes: []admin.DataNode{dataNode("n1", 1), dataNode("n2", 2)}}
	m, follow := follow(t, j, s)
	follow("n2")
	eventually(t, "a problem", func() bool { return m.drainOf("n2").Problem != "" })
	require.Contains(t, m.drainOf("n2").Problem, "1000 bytes are stored only here")
	s.set(admin.Decommissioned, []string{"10.0.0.1:2"})
	eventually(t, "none", func() bool { return m.drainOf("n2") == daemon.Draining{Node: "n2", Done: true} })
}

func TestLeft(t *testing.T) {
	live, old, lost := dataNode("n", 1), dataNode("n", 2), dataNode("m", 3)
	old.Live, old.State = false, admin.Decommissioned
	lost.Live = false
	s := &stores{nodes: []admin.DataNode{live, old, lost}, missing: map[string]int{"10.0.0.1:1": 99}}
	bytes, gone := s.left("n")
	require.EqualValues(t, 1000, bytes, "never more than there are")
	require.False(t, gone)
	bytes, gone = s.left("m")
	require.EqualValues(t, 1000, bytes)
	require.False(t, gone, "a dead DataNode may hold the only copy of something")
	s.nodes = s.nodes[1:]
	_, gone = s.left("n")
	require.True(t, gone, "it is of an earlier time")
}

func TestCopy(t *testing.T) {
	var made []string
	m := New(Config{Conf: conf.New(), Copy: func(_ context.Context,
		spec *mrcluster.Spec, nameNode string, c mrcluster.Copy) error {
		made = append(made, spec.Name+" "+nameNode+" "+c.From+" "+c.To)
		switch c.From {
		case "bad":
			return errors.New("no")
		case "nowhere":
			return failure.New(failure.NotFound, "copy", c.From, daemon.ErrMissing)
		}
		return nil
	}})
	defer m.Stop()
	spec := &mrcluster.Spec{Name: "c", HDFS: true}
	m.Follow(mrcluster.Desired{Cluster: "c", Spec: spec}, node.Endpoints{})
	copies := []mrcluster.Copy{{From: "a", To: "b"}, {From: "bad", To: "b"}, {From: "never", To: "b"}}
	require.True(t, failure.Is(m.Copy(t.Context(), copies), failure.Unreachable))
	m.Follow(mrcluster.Desired{Cluster: "c", Spec: spec}, node.Endpoints{NameNode: "hdfs://nn:1"})
	require.Error(t, m.Copy(t.Context(), copies))
	require.Equal(t, []string{"c hdfs://nn:1 a b", "c hdfs://nn:1 bad b"}, made)

	made = nil
	err := m.Copy(t.Context(), []mrcluster.Copy{{From: "nowhere", To: "b"}, {From: "a", To: "b"}})
	require.ErrorIs(t, err, daemon.ErrMissing)
	require.Len(t, made, 2, "what is there is copied all the same")
	require.NotErrorIs(t, m.Copy(t.Context(), []mrcluster.Copy{{From: "nowhere", To: "b"}, {From: "bad", To: "b"}}),
		daemon.ErrMissing, "that may go better next time")
}
