package mrcluster

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

// pool returns a world in which all agents have reported.
func pool(t *testing.T, nodes int) *world {
	w := newWorld(t, testConfig(), nodes)
	w.seconds(1)
	return w
}

// TestLifeOfAnMRCluster checks section 3.1: the manager deploys an MR-cluster when its first job is
// submitted, and ends the deployment after it has been idle for T.
func TestLifeOfAnMRCluster(t *testing.T) {
	w := pool(t, 6)
	w.create(Spec{Name: "c1", Core: 2, HDFS: true, Load: []Copy{{"a", "b"}}, Save: []Copy{{"c", "d"}}})
	w.seconds(5)
	require.Equal(t, Defined, w.cluster("c1").State)
	w.run("c1", 40)
	require.Equal(t, Deploying, w.cluster("c1").State)
	w.seconds(3)
	require.Equal(t, Loading, w.cluster("c1").State)
	w.seconds(4)
	require.Equal(t, Active, w.cluster("c1").State)
	w.seconds(12)
	require.Equal(t, 6, w.cluster("c1").Held, "all idle nodes")
	for w.work["c1"] > 0 {
		w.second()
	}
	w.seconds(11)
	require.Equal(t, Saving, w.cluster("c1").State)
	w.seconds(6)
	v := w.cluster("c1")
	require.Equal(t, Defined, v.State)
	require.Zero(t, w.work["c1"])
	for _, n := range w.m.View().Nodes {
		require.Equal(t, Free, n.State, n.Name)
	}
	for _, a := range w.agents {
		require.Empty(t, a.runs)
	}
}

// TestAdmissionIsFIFO checks section 4.2.1: a request that does not fit waits until another
// MR-cluster ends, and no other request overtakes it.
func TestAdmissionIsFIFO(t *testing.T) {
	w := pool(t, 6)
	for _, s := range []Spec{{Name: "a", Core: 4}, {Name: "b", Core: 3}, {Name: "c", Core: 1}} {
		w.create(s)
	}
	w.run("a", 20)
	w.run("b", 20)
	w.run("c", 5)
	require.Equal(t, []string{"b", "c"}, w.m.View().Queue)
	w.seconds(10)
	require.Equal(t, []string{"b", "c"}, w.m.View().Queue)
	for range 60 {
		w.second()
	}
	require.Empty(t, w.m.View().Queue)
	require.Zero(t, w.work["a"]+w.work["b"]+w.work["c"])
}

// TestANewMRClusterGetsItsMinimumShare checks section 4.2.1: a new MR-cluster gets its minimum
// share within T even if others use the whole pool. No other MR-cluster falls below its minimum.
func TestANewMRClusterGetsItsMinimumShare(t *testing.T) {
	w := pool(t, 12)
	for _, s := range []Spec{{Name: "a", Core: 2, Grow: Transient}, {Name: "b", Core: 2, Grow: Transient},
		{Name: "c", Core: 4, Grow: Transient}} {
		w.create(s)
	}
	w.run("a", 3000)
	w.run("b", 1000)
	w.seconds(30)
	require.Equal(t, 12, w.cluster("a").Held+w.cluster("b").Held)
	require.Greater(t, w.cluster("a").Held, w.cluster("b").Held)
	w.run("c", 10)
	w.seconds(4)
	require.Equal(t, Active, w.cluster("c").State)
	require.Equal(t, 4, w.cluster("c").Cores)
	require.GreaterOrEqual(t, w.cluster("a").Held, 2)
	require.GreaterOrEqual(t, w.cluster("b").Held, 2)
	require.LessOrEqual(t, int64(4000), int64(w.cfg.Interval), "within T")
}

// TestRemovalOrder checks section 4.2.2: transient-core nodes leave in nondecreasing order of their
// stored data.
func TestRemovalOrder(t *testing.T) {
	w := pool(t, 7)
	w.create(Spec{Name: "a", Core: 2, HDFS: true})
	w.run("a", 100_000)
	w.seconds(30)
	require.Equal(t, 7, w.cluster("a").Held)
	stored := map[string]int64{"n03": 500, "n04": 100, "n05": 300, "n06": 200, "n07": 400}
	for _, a := range w.agents {
		if s, ok := stored[a.name]; ok {
			a.data = s
		}
	}
	w.second()
	w.create(Spec{Name: "b", Core: 3})
	w.run("b", 1)
	var left []string
	for i := range w.journal {
		if w.journal[i].Kind == NodeDraining {
			left = append(left, w.journal[i].Node)
		}
	}
	require.Equal(t, []string{"n04", "n06", "n05"}, left)
}

// TestADrainThatNeverEnds checks that a node never leaves before its data has been moved. The
// manager cancels the drain, and the node stays.
func TestADrainThatNeverEnds(t *testing.T) {
	w := pool(t, 5)
	w.create(Spec{Name: "a", Core: 2, HDFS: true})
	w.run("a", 100_000)
	w.seconds(30)
	for _, a := range w.agents {
		a.stuck, a.data = true, 1000
	}
	w.second()
	w.create(Spec{Name: "b", Core: 2})
	w.run("b", 1)
	w.seconds(100)
	require.Equal(t, Deploying, w.cluster("b").State)
	require.GreaterOrEqual(t, len(w.m.Nodes("a")), 5)
	for _, a := range w.agents {
		a.stuck, a.data = false, 10
	}
	w.seconds(60)
	require.Zero(t, w.work["b"])
}

// TestADrainIsCalledOff checks that draining nodes stay if the weight rises again.
func TestADrainIsCalledOff(t *testing.T) {
	w := pool(t, 6)
	w.create(Spec{Name: "a", Core: 2, HDFS: true})
	w.create(Spec{Name: "b", Core: 2})
	w.run("a", 100_000)
	w.run("b", 30)
	w.seconds(12)
	for _, a := range w.agents {
		a.stuck = true
	}
	w.run("b", 100_000)
	w.seconds(25)
	w.work["b"] = 0
	w.seconds(30)
	kept := 0
	for i := range w.journal {
		if w.journal[i].Kind == NodeKept {
			kept++
		}
	}
	require.Positive(t, kept)
}

// TestWhatADeploymentWaitsFor checks that the view shows what a deployment waits for until the wait
// is over. When a node is released because it did not start in time, its note disappears.
func TestWhatADeploymentWaitsFor(t *testing.T) {
	w := pool(t, 1)
	w.create(Spec{Name: "a", Core: 1})
	w.run("a", 1)
	w.second()
	report := Report{Node: w.agents[0].name, Addr: w.agents[0].name + ":1",
		Runs: []Running{{Cluster: "a", Deployment: 1, Doing: "jobtracker starts"}}}
	w.step(Input{Kind: InReport, Report: &report})
	require.Equal(t, w.agents[0].name+": jobtracker starts", w.cluster("a").Doing)
	require.Equal(t, "jobtracker starts", w.m.View().Nodes[0].Doing)
	w.now = w.m.order[0].since + w.cfg.StartTimeout - 1
	w.step(Input{Kind: InReport, Report: &report})
	require.Equal(t, "jobtracker starts", w.m.View().Nodes[0].Doing, "one millisecond is left")
	w.now++
	w.step(Input{Kind: InReport, Report: &report})
	i := slices.IndexFunc(w.journal, func(f Fact) bool { return f.Kind == ClusterRetried })
	require.Contains(t, w.journal[i].Reason, "start timed out; jobtracker starts")
	require.Empty(t, w.cluster("a").Doing)
}

// TestAMasterIsLost checks that the manager deploys an MR-cluster again after the loss of its
// master.
func TestAMasterIsLost(t *testing.T) {
	w := pool(t, 4)
	w.create(Spec{Name: "a", Core: 2, HDFS: true})
	w.run("a", 300)
	w.seconds(10)
	first := w.cluster("a")
	for _, a := range w.agents {
		if a.name == first.Master {
			a.dead = true
		}
	}
	w.seconds(30)
	again := w.cluster("a")
	require.Greater(t, again.Deployment, first.Deployment)
	require.Equal(t, Active, again.State)
	require.NotEqual(t, first.Master, again.Master)
}

func TestADeploymentThatNeverComesUp(t *testing.T) {
	w := pool(t, 4)
	w.faulty = func(*agent) bool { return true }
	w.create(Spec{Name: "a", Core: 2})
	w.run("a", 1)
	w.seconds(200)
	v := w.cluster("a")
	require.Equal(t, Defined, v.State)
	require.Contains(t, v.LastError, "did not start: it broke (3 attempts)")
}

// TestABrokenRequestDoesNotUseUpThePool checks that other MR-clusters can use the nodes on which a
// broken request failed.
func TestABrokenRequestDoesNotUseUpThePool(t *testing.T) {
	w := pool(t, 3)
	w.create(Spec{Name: "bad", Core: 1})
	w.create(Spec{Name: "good", Core: 3})
	w.faulty = func(a *agent) bool { return a.told.Cluster == "bad" }
	for range 5 {
		w.run("bad", 1)
		w.seconds(60)
		require.Equal(t, Defined, w.cluster("bad").State)
	}
	w.run("good", 1)
	w.seconds(8)
	require.Equal(t, Active, w.cluster("good").State)
}

// TestNotesOfANode checks that the view shows why and when a free node failed to start, until the
// node has started successfully. A problem of a node that is up disappears with its MR-cluster.
func TestNotesOfANode(t *testing.T) {
	w := pool(t, 2)
	node := func(i int) NodeView { return w.m.View().Nodes[i] }
	w.create(Spec{Name: "bad", Core: 1})
	w.create(Spec{Name: "good", Core: 2, Grow: Transient})
	w.faulty = func(a *agent) bool { return a.told.Cluster == "bad" && a.name == "n01" }
	w.run("bad", 30)
	w.seconds(1)
	for i := 0; i < 20 && node(0).State == Starting; i++ {
		w.second()
	}
	failed := w.now
	w.seconds(3)
	require.Equal(t, Free, node(0).State)
	require.Equal(t, "failed in bad: it broke", node(0).Problem)
	require.Equal(t, failed, node(0).FailedAt)
	require.Equal(t, Up, node(1).State)
	require.Zero(t, node(1).FailedAt)

	w.faulty = func(a *agent) bool { return a.told.Cluster == "bad" } // now the node that is up fails
	w.seconds(2)
	require.Equal(t, "it broke", node(1).Problem)
	w.step(Input{Kind: InRemove, Cluster: "bad", Discard: true})
	w.seconds(40)
	require.Len(t, w.m.View().Clusters, 1)
	require.Equal(t, Free, node(1).State)
	require.Empty(t, node(1).Problem, "its MR-cluster has ended")
	require.Equal(t, failed, node(0).FailedAt, "it has not been up since")

	w.run("good", 1)
	require.Equal(t, Starting, node(0).State)
	require.Empty(t, node(0).Problem)
	w.seconds(5)
	require.Equal(t, Active, w.cluster("good").State)
	w.seconds(60)
	require.Equal(t, Defined, w.cluster("good").State)
	for i := range 2 {
		require.Equal(t, Free, node(i).State)
		require.Empty(t, node(i).Problem)
		require.Zero(t, node(i).FailedAt)
	}
}

func TestInputThatCannotBeLoaded(t *testing.T) {
	w := pool(t, 4)
	w.loadErr = func() string { return "no such path" }
	w.create(Spec{Name: "a", Core: 2, Load: []Copy{{"x", "y"}}})
	w.run("a", 1)
	w.seconds(100)
	v := w.cluster("a")
	require.Equal(t, Defined, v.State)
	require.Equal(t, "the input could not be loaded: no such path (3 attempts)", v.LastError)
}

// TestOutputThatCannotBeSaved checks that an MR-cluster whose output cannot be saved is kept until
// a user discards the output.
func TestOutputThatCannotBeSaved(t *testing.T) {
	w := pool(t, 4)
	w.create(Spec{Name: "a", Core: 2, Save: []Copy{{"x", "y"}}})
	w.run("a", 5)
	w.loadErr = func() string { return "disk full" }
	w.seconds(200)
	v := w.cluster("a")
	require.Equal(t, Saving, v.State)
	require.Contains(t, v.LastError, "disk full")
	require.Nil(t, w.step(Input{Kind: InRemove, Cluster: "a", Discard: true}).Err)
	_, there := w.m.Cluster("a")
	require.False(t, there)
	w.seconds(3)
	for _, n := range w.m.View().Nodes {
		require.Equal(t, Free, n.State, n.Name)
	}
}

// TestAJobWhileSaving checks that the deployment continues if a job arrives during a save.
func TestAJobWhileSaving(t *testing.T) {
	w := pool(t, 4)
	w.create(Spec{Name: "a", Core: 2, Save: []Copy{{"x", "y"}}})
	w.run("a", 5)
	for w.cluster("a").State != Saving {
		w.second()
	}
	before := w.cluster("a").Deployment
	w.run("a", 5)
	require.Equal(t, Active, w.cluster("a").State)
	w.seconds(8)
	require.Equal(t, before, w.cluster("a").Deployment)
	require.Zero(t, w.work["a"])
}

// TestAJobPastTheManagerWhileSaving checks that an MR-cluster becomes active again if a client
// submits a job during a save without the manager. If removal was requested, saving continues.
func TestAJobPastTheManagerWhileSaving(t *testing.T) {
	for _, doomed := range []bool{false, true} {
		w := pool(t, 4)
		w.create(Spec{Name: "a", Core: 2})
		w.run("a", 5)
		for w.cluster("a").State != Active {
			w.second()
		}
		if doomed {
			require.Nil(t, w.step(Input{Kind: InRemove, Cluster: "a"}).Err)
		}
		for w.cluster("a").State != Saving {
			w.second()
		}
		require.True(t, w.m.desired(w.m.clusters["a"].master()).Saving)
		w.step(Input{Kind: InSample, Cluster: "a", Deployment: w.cluster("a").Deployment,
			Sample: &Sample{Jobs: 1, WaitingJobs: 1, WaitingTasks: 1}})
		want := Active
		if doomed {
			want = Saving
		}
		require.Equal(t, want, w.cluster("a").State)
		require.Equal(t, doomed, w.m.desired(w.m.clusters["a"].master()).Saving)
	}
}

func TestRefusals(t *testing.T) {
	w := pool(t, 4)
	w.create(Spec{Name: "a", Core: 2})
	for _, c := range []struct {
		in   Input
		kind failure.Kind
		want string
	}{
		{Input{Kind: InCreate, Spec: &Spec{Name: "a", Core: 1}}, failure.Exists, "the name is taken"},
		{Input{Kind: InCreate, Spec: &Spec{Name: "b c", Core: 1}}, failure.Usage, "1 to 64 letters"},
		{Input{Kind: InCreate, Spec: &Spec{Name: "b", Core: 0}}, failure.Usage, "0 core nodes"},
		{Input{Kind: InCreate, Spec: &Spec{Name: "b", Core: 5}}, failure.Limit,
			"needs 5 core nodes, but the pool has only 4"},
		{Input{Kind: InCreate, Spec: &Spec{Name: "b", Core: 1, Grow: Core}}, failure.Usage, "grows by"},
		{Input{Kind: InCreate, Spec: &Spec{Name: "b", Core: 1, Load: []Copy{{"x", ""}}}}, failure.Usage,
			"a source and a destination"},
		{Input{Kind: InCreate, Spec: &Spec{Name: "b", Core: 1, Conf: []string{"=x"}}}, failure.Usage, "key=value"},
		{Input{Kind: InCreate}, failure.Usage, "no request"},
		{Input{Kind: InJob, Cluster: "b"}, failure.NotFound, "no such MR-cluster"},
		{Input{Kind: InRemove, Cluster: "b"}, failure.NotFound, "no such MR-cluster"},
		{Input{Kind: InGrow, Cluster: "b", Nodes: 3}, failure.NotFound, "no such MR-cluster"},
		{Input{Kind: InGrow, Cluster: "a", Nodes: 1}, failure.Usage, "want 2 (its core nodes) to"},
		{Input{Kind: InGrow, Cluster: "a", Nodes: -1}, failure.Usage, "the size -1 is invalid"},
		{Input{Kind: InGrow, Cluster: "a", Nodes: maxCore + 1}, failure.Usage, "is invalid"},
		{Input{Kind: InGrow, Cluster: "a", Nodes: 5}, failure.Limit, "the pool has only 4 nodes"},
		{Input{Kind: InReport, Report: &Report{}}, failure.Usage, "needs a name"},
	} {
		err := w.step(c.in).Err
		require.NotNil(t, err, c.want)
		require.Equal(t, c.kind, err.Kind, c.want)
		require.ErrorContains(t, err, c.want)
	}
	_, err := New(Config{}, tasks{})
	require.ErrorContains(t, err, "interval")
	_, err = New(DefaultConfig(), nil)
	require.ErrorContains(t, err, "no weighting policy")
}

// The smallest valid limits and times are 1. A threshold and an idle time may be 0.
func TestSmallestLimits(t *testing.T) {
	for n, valid := range map[int]bool{0: false, 1: true} {
		for _, limit := range []func(*Config){func(c *Config) { c.Attempts = n }, func(c *Config) { c.MaxClusters = n },
			func(c *Config) { c.MaxNodes = n }, func(c *Config) { c.Interval = int64(n) },
			func(c *Config) { c.Retry = int64(n) }, func(c *Config) { c.Threshold = float64(n - 1) },
			func(c *Config) { c.IdleAfter = int64(n - 1) }} {
			c := DefaultConfig()
			limit(&c)
			require.Equal(t, valid, c.Validate() == nil)
		}
	}
}

// An MR-cluster is idle for an interval before it is released, unless another time is set.
func TestIdleTime(t *testing.T) {
	require.EqualValues(t, 5, (&Config{Interval: 5}).idleAfter())
	require.EqualValues(t, 7, (&Config{Interval: 5, IdleAfter: 7}).idleAfter())
}

// TestSilenceIsNotIdleness checks that a restarted manager does not treat an MR-cluster without
// reports as inactive, because its jobs may be running.
func TestSilenceIsNotIdleness(t *testing.T) {
	w := pool(t, 3)
	w.create(Spec{Name: "a", Core: 2, HDFS: true})
	w.run("a", 1000)
	w.seconds(8)
	require.Equal(t, Active, w.cluster("a").State)
	w.restart()
	for range 60 {
		w.now += 1000
		for _, a := range w.agents {
			w.beat(a)
		}
		w.step(Input{Kind: InTick})
	}
	require.Equal(t, Active, w.cluster("a").State)
	w.work["a"] = 0
	w.seconds(12)
	require.Equal(t, Defined, w.cluster("a").State, "the master has reported that it is idle")
}

// TestLostNodesAreForgotten checks that the manager forgets lost nodes that do not return, because
// new containers have new names. It then compares requests with the remaining nodes.
func TestLostNodesAreForgotten(t *testing.T) {
	w := pool(t, 4)
	w.agents[2].dead, w.agents[3].dead = true, true
	w.seconds(10)
	require.Equal(t, Lost, w.m.View().Nodes[3].State)
	w.restart()
	w.seconds(int(w.cfg.MasterExpiry / 1000))
	require.Len(t, w.m.View().Nodes, 2)
	require.Equal(t, failure.Limit, w.step(Input{Kind: InCreate, Spec: &Spec{Name: "big", Core: 3}}).Err.Kind)
	w.restart()
	require.Len(t, w.m.View().Nodes, 2)
	w.agents[2].dead = false
	w.seconds(3)
	require.Len(t, w.m.View().Nodes, 3, "it may come back all the same")
}

// TestAQueuedRequestBecomesTooLarge checks that the manager ends a waiting request if the pool
// becomes too small. Otherwise, the request would block the next one.
func TestAQueuedRequestBecomesTooLarge(t *testing.T) {
	w := pool(t, 4)
	for _, s := range []Spec{{Name: "a", Core: 1}, {Name: "big", Core: 4}, {Name: "c", Core: 1}} {
		w.create(s)
	}
	w.run("a", 100_000)
	w.run("big", 1)
	w.run("c", 1)
	w.agents[3].dead = true
	w.seconds(20)
	require.Equal(t, []string{"big", "c"}, w.m.View().Queue, "it may come back")
	w.seconds(10)
	require.Equal(t, Defined, w.cluster("big").State)
	require.Contains(t, w.cluster("big").LastError, "4 core nodes, but the pool has only 3")
	require.Empty(t, w.m.View().Queue)
}

// TestALostNodeWithDataIsRemembered checks that, while an MR-cluster exists, the manager remembers
// a lost node that may hold the only copy of some of its data.
func TestALostNodeWithDataIsRemembered(t *testing.T) {
	w := pool(t, 4)
	w.create(Spec{Name: "a", Core: 3, HDFS: true})
	w.run("a", 10_000)
	w.seconds(20)
	at := w.agents[1]
	require.Positive(t, at.data)
	at.dead = true
	w.seconds(100)
	at.dead = false
	w.seconds(5)
	require.Equal(t, "a", at.told.Cluster)
	require.Positive(t, at.data, "its data is there")
}

// TestReasons checks that every fact that changes shares contains a reason.
func TestReasons(t *testing.T) {
	w := pool(t, 6)
	w.create(Spec{Name: "a", Core: 1})
	w.create(Spec{Name: "b", Core: 3})
	w.run("a", 10_000)
	w.seconds(30)
	w.run("b", 10)
	w.seconds(5)
	told := map[FactKind]string{}
	for _, f := range w.journal {
		told[f.Kind] = f.Reason
	}
	require.Contains(t, told[Reconfigured], "the global discrimination of")
	require.Equal(t, "b lacks 3 core nodes", told[RoomMade])
}

// TestTwoAgentsOfOneName checks that the manager rejects a second agent with the same name while
// the first one reports, because both would run the same daemons.
func TestTwoAgentsOfOneName(t *testing.T) {
	w := pool(t, 2)
	report := func(addr string) *failure.Error {
		return w.step(Input{Kind: InReport, Report: &Report{Node: "n01", Addr: addr}}).Err
	}
	for range 20 {
		w.second()
		err := report("elsewhere:1")
		require.Equal(t, failure.Exists, err.Kind)
		require.ErrorContains(t, err, "n01:1")
	}
	w.agents[0].dead = true
	w.seconds(4)
	require.Nil(t, report("elsewhere:1"), "started again at another address")
	w.restart()
	require.Nil(t, report("n01:1"), "a manager that was started again knows nobody's address")
}

// TestTwoAgentsOfOneNameAndAddress checks agents that also report the same address. Without gossip,
// the address is their configured host.
func TestTwoAgentsOfOneNameAndAddress(t *testing.T) {
	w := pool(t, 1)
	report := func(agent string) *failure.Error {
		return w.step(Input{Kind: InReport, Report: &Report{Node: "x", Addr: "127.0.0.1", Agent: agent}}).Err
	}
	for range 10 {
		w.now += 1000
		require.Nil(t, report("first"))
		require.Equal(t, failure.Exists, report("second").Kind)
	}
	w.now += 3000
	require.Nil(t, report("second"), "the first is gone")
}

// TestANodeThatStoresUnheardIsRemembered checks a node that becomes silent while its MR-cluster is
// being deployed. The node can continue to run, and can store data once the MR-cluster is active.
func TestANodeThatStoresUnheardIsRemembered(t *testing.T) {
	w := pool(t, 5)
	w.create(Spec{Name: "a", Core: 4, HDFS: true})
	w.run("a", 10_000)
	w.agents[3].dead, w.agents[4].dead = true, true
	w.seconds(4)
	w.agents[1].mute = true
	w.seconds(40)
	require.Equal(t, Deploying, w.cluster("a").State)
	w.agents[3].dead, w.agents[4].dead = false, false
	w.seconds(20)
	require.Positive(t, w.agents[1].data)
	w.agents[1].mute = false
	w.seconds(3)
	require.Equal(t, "a", w.agents[1].told.Cluster)
}

// The next deadline is the earliest one that has not passed.
func TestNextDeadline(t *testing.T) {
	m := &Machine{now: 10, cycleAt: 100, cfg: Config{MasterExpiry: 50}}
	m.order = []*node{{state: Lost, since: -60}, {state: Lost}, {state: Lost, since: 20}}
	require.EqualValues(t, 50, m.NextDeadline())
}
