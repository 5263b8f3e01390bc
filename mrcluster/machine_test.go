package mrcluster

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

// pool gives a world whose agents have been heard of.
func pool(t *testing.T, nodes int) *world {
	w := newWorld(t, testConfig(), nodes)
	w.seconds(1)
	return w
}

// Section 3.1: deployed when its first job is submitted, removed when it has had nothing to do for T.
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

// Section 4.2.1: one that does not fit waits, nobody overtakes it, and it is let in when another ends.
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

// Section 4.2.1: a new MR-cluster gets its minimum share within T, though others hold the whole pool, and none of them falls
// below its minimum.
func TestANewMRClusterGetsItsMinimumShare(t *testing.T) {
	w := pool(t, 12)
	for _, s := range []Spec{{Name: "a", Core: 2, Grow: Transient}, {Name: "b", Core: 2, Grow: Transient}, {Name: "c", Core: 4, Grow: Transient}} {
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

// Section 4.2.2: transient-core nodes go in non-decreasing order of the data that they store.
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

// A node that holds data never leaves before the data has another place: its drain is given up, and it stays.
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

// A weight that rises again keeps nodes that were about to leave.
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

// What a deployment waits for is told, until it is there; a node that was not in time is given up with what it waited for.
func TestWhatADeploymentWaitsFor(t *testing.T) {
	w := pool(t, 1)
	w.create(Spec{Name: "a", Core: 1})
	w.run("a", 1)
	w.second()
	report := Report{Node: w.agents[0].name, Addr: w.agents[0].name + ":1", Runs: []Running{{Cluster: "a", Deployment: 1, Doing: "jobtracker starts"}}}
	w.step(Input{Kind: InReport, Report: &report})
	require.Equal(t, w.agents[0].name+": jobtracker starts", w.cluster("a").Doing)
	require.Equal(t, "jobtracker starts", w.m.View().Nodes[0].Doing)
	w.now += w.cfg.StartTimeout
	w.step(Input{Kind: InReport, Report: &report})
	i := slices.IndexFunc(w.journal, func(f Fact) bool { return f.Kind == ClusterRetried })
	require.Contains(t, w.journal[i].Reason, "not in time; jobtracker starts")
	require.Empty(t, w.cluster("a").Doing)
}

// Without its master an MR-cluster is deployed anew; with too many failures it is given up, and says why.
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

// A request that starts nowhere is its owner's affair: others get the nodes on which it failed.
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

// Why a node failed is told until it has started well again, with the time. What was not well in an MR-cluster that it has left is not told.
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

	w.faulty = func(a *agent) bool { return a.told.Cluster == "bad" } // now the other one, which is up
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
	require.Equal(t, "its input could not be loaded: no such path (3 attempts)", v.LastError)
}

// Output that cannot be saved keeps the MR-cluster until somebody says that it may go.
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

// A job that comes while the output is being saved finds everything still there.
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

// A job that came past the manager while an MR-cluster was being saved keeps it, unless somebody wants it removed: then it is waited for by who
// saves.
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
		w.step(Input{Kind: InSample, Cluster: "a", Deployment: w.cluster("a").Deployment, Sample: &Sample{Jobs: 1, WaitingJobs: 1, WaitingTasks: 1}})
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
		{Input{Kind: InCreate, Spec: &Spec{Name: "a", Core: 1}}, failure.Exists, "there is one of that name"},
		{Input{Kind: InCreate, Spec: &Spec{Name: "b c", Core: 1}}, failure.Usage, "1 to 64 letters"},
		{Input{Kind: InCreate, Spec: &Spec{Name: "b", Core: 0}}, failure.Usage, "0 core nodes"},
		{Input{Kind: InCreate, Spec: &Spec{Name: "b", Core: 5}}, failure.Limit, "wants 5 core nodes and the pool has 4"},
		{Input{Kind: InCreate, Spec: &Spec{Name: "b", Core: 1, Grow: Core}}, failure.Usage, "grows by"},
		{Input{Kind: InCreate, Spec: &Spec{Name: "b", Core: 1, Load: []Copy{{"x", ""}}}}, failure.Usage, "a source and a destination"},
		{Input{Kind: InCreate, Spec: &Spec{Name: "b", Core: 1, Conf: []string{"=x"}}}, failure.Usage, "key=value"},
		{Input{Kind: InCreate}, failure.Usage, "no request"},
		{Input{Kind: InJob, Cluster: "b"}, failure.NotFound, "no such MR-cluster"},
		{Input{Kind: InRemove, Cluster: "b"}, failure.NotFound, "no such MR-cluster"},
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

// A manager that was started again and hears nothing of an MR-cluster does not take it for inactive: its jobs may run.
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
	require.Equal(t, Defined, w.cluster("a").State, "now it was told")
}

// Nodes come and go under ever new names, as containers do: those that do not come back are forgotten, and requests are measured by the
// others.
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

// A request that was not too large when it came is refused when nodes have gone for good, and does not keep the next one waiting.
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
	require.Contains(t, w.cluster("big").LastError, "4 core nodes and the pool has 3")
	require.Empty(t, w.m.View().Queue)
}

// A lost node that may hold the only copy of something is waited for as long as its MR-cluster lives.
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

// Every change of shares says why.
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

// Two agents of one name would run the same twice: the second is refused for as long as the first is heard.
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

// Without gossip two agents may tell the same address: the host that they are configured with.
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

// A node that falls silent while its MR-cluster is deployed may go on all the same, and store for it as soon as it is active.
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
