package mrcluster

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
)

// hand returns a machine at time 100 with one active MR-cluster "a" and the given nodes in it.
func hand(t *testing.T, spec Spec, nodes ...*node) (*Machine, *cluster) {
	m, err := New(testConfig(), tasks{})
	require.NoError(t, err)
	m.now, m.cycleAt = 100, 1_000_000
	c := &cluster{spec: spec, state: Active, deployment: 1, target: len(nodes)}
	m.put(c)
	for _, n := range nodes {
		n.heard = m.now
		m.nodes[n.name], m.order = n, append(m.order, n)
		n.cluster, c.nodes = c, append(c.nodes, n)
	}
	return m, c
}

// lastFact returns the last fact that a machine has emitted.
func lastFact(t *testing.T, m *Machine) *Fact {
	require.NotEmpty(t, m.out)
	require.NoError(t, m.Err())
	return m.out[len(m.out)-1].Fact
}

func TestCountsOfNodes(t *testing.T) {
	_, c := hand(t, Spec{Name: "a", Core: 3, HDFS: true},
		&node{name: "1", kind: Core, state: Starting}, &node{name: "2", kind: Core, state: Up},
		&node{name: "3", kind: Core, state: Draining}, &node{name: "4", kind: Transient, state: Starting},
		&node{name: "5", kind: Transient, state: Up, keep: 11}, &node{name: "6", kind: TransientCore, state: Up},
		&node{name: "7", kind: TransientCore, state: Draining})
	require.Equal(t, 5, c.held())
	require.Equal(t, 2, c.cores(false))
	require.Equal(t, 1, c.cores(true))
	require.Equal(t, 1, c.holders())
	require.Equal(t, 1, c.lacks())
	require.Equal(t, 2, c.leavable(10))
	require.Equal(t, 3, c.leavable(11))
	require.Equal(t, 2, c.view().Leaving)
	c.target = 4
	require.Equal(t, 1, c.surplus(10))
	c.target = 0
	require.Equal(t, 2, c.surplus(10))
	c.state = Queued
	require.Zero(t, c.lacks())
}

// A master holds data, and so does a node that stores blocks of its MR-cluster's own HDFS. While the
// MR-cluster is being deployed, there is no data yet.
func TestWhoHoldsData(t *testing.T) {
	for _, x := range []struct {
		state  ClusterState
		hdfs   bool
		kind   Kind
		master bool
		want   bool
	}{
		{Active, true, Core, false, true}, {Active, true, TransientCore, false, true},
		{Active, true, Transient, false, false}, {Active, false, Core, false, false},
		{Active, false, Core, true, true}, {Loading, true, Core, false, true},
		{Deploying, true, Core, false, false}, {Deploying, true, Core, true, false},
	} {
		c := &cluster{state: x.state, spec: Spec{HDFS: x.hdfs}}
		require.Equal(t, x.want, (&node{cluster: c, kind: x.kind, master: x.master}).holdsData(), "%+v", x)
	}
	require.False(t, (&node{kind: Core, master: true}).holdsData(), "in no MR-cluster")
}

// After a failure, a node rests. Other MR-clusters may use it unless it failed in two.
func TestUsableNodes(t *testing.T) {
	c := &cluster{spec: Spec{Name: "a"}}
	for _, x := range []struct {
		blamed string
		now    int64
		want   bool
	}{{"", 9, false}, {"", 10, true}, {"a", 9, false}, {"a", 10, true}, {"b", 9, true}} {
		require.Equal(t, x.want, (&node{avoid: 10, blamed: x.blamed}).usable(c, x.now), "%+v", x)
	}
}

// A node that does not start is released, or drains if it may hold data. Its MR-cluster is to
// blame, unless the node failed in another one, too.
func TestANodeThatDoesNotStart(t *testing.T) {
	for _, x := range []struct {
		hdfs   bool
		fails  int
		blamed string
		want   NodeState
		blames string
	}{
		{false, 0, "", Clearing, "a"}, {false, 0, "b", Clearing, "a"}, {false, 1, "a", Clearing, "a"},
		{false, 1, "b", Clearing, ""}, {true, 0, "", Draining, "a"},
	} {
		m, _ := hand(t, Spec{Name: "a", Core: 1, HDFS: x.hdfs}, &node{name: "n", kind: Core, state: Starting, fails: x.fails,
			blamed: x.blamed})
		n := m.nodes["n"]
		m.startFailed(n, "why")
		require.NoError(t, m.Err())
		require.Equal(t, x.want, n.state, "%+v", x)
		require.Equal(t, x.blames, n.blamed, "%+v", x)
		require.Equal(t, "failed in a: why", n.failure)
		require.Equal(t, "why", n.problem)
		require.Equal(t, m.now+m.cfg.Retry<<(x.fails+1), n.avoid, "each failure doubles the rest")
	}
}

// A node whose daemons stay down is replaced after the start timeout, unless it holds data.
func TestANodeThatIsDown(t *testing.T) {
	for _, hdfs := range []bool{false, true} {
		m, _ := hand(t, Spec{Name: "a", Core: 1, HDFS: hdfs}, &node{name: "n", kind: Core, state: Up})
		n := m.nodes["n"]
		m.up(n, nil)
		require.Equal(t, "the daemons are not running", n.problem)
		m.now += m.cfg.StartTimeout - 1
		m.up(n, &Running{})
		require.EqualValues(t, 100, n.down, "since the first report")
		m.up(n, &Running{Err: "broken", Phase: PhaseUp - 1})
		require.Equal(t, "broken", n.problem)
		require.Equal(t, Up, n.state)
		m.now++
		m.up(n, nil)
		require.Equal(t, hdfs, n.state == Up)
		if hdfs {
			m.up(n, &Running{Phase: PhaseUp})
			require.Zero(t, n.down)
			require.Empty(t, n.problem)
		}
	}
}

// A core node that stays or comes back is a core node again only if the MR-cluster still lacks one.
// A master keeps its kind.
func TestKindsOfReturningNodes(t *testing.T) {
	for _, x := range []struct {
		kind   Kind
		core   int // wanted, besides one that is up
		master bool
		want   Kind
	}{{Core, 2, false, Core}, {Core, 1, false, TransientCore}, {Core, 1, true, Core},
		{TransientCore, 2, false, TransientCore}, {Transient, 1, false, Transient}} {
		m, _ := hand(t, Spec{Name: "a", Core: x.core, HDFS: true},
			&node{name: "n", kind: x.kind, state: Draining, master: x.master}, &node{name: "o", kind: Core, state: Up})
		m.keep(m.nodes["n"], "")
		require.NoError(t, m.Err())
		require.Equal(t, Up, m.nodes["n"].state)
		require.Equal(t, x.want, m.nodes["n"].kind, "%+v", x)
		if x.kind == Transient || x.master {
			continue
		}
		m, c := hand(t, Spec{Name: "a", Core: x.core, HDFS: true}, &node{name: "o", kind: Core, state: Up})
		n := &node{name: "n", state: Lost, was: assignment{"a", 1, x.kind}}
		m.nodes["n"], m.order = n, append(m.order, n)
		m.takeBack(n, &Report{Runs: []Running{{Cluster: "b", Deployment: 1}, {Cluster: "a", Deployment: 1}}})
		require.NoError(t, m.Err())
		require.Equal(t, c, n.cluster)
		require.Equal(t, x.want, n.kind, "%+v", x)
	}
}

func TestAssignmentsThatDoNotFit(t *testing.T) {
	for name, f := range map[string]Fact{
		"unknown":       {Cluster: "b", Deployment: 1, NodeKind: Core},
		"other":         {Cluster: "a", Deployment: 2, NodeKind: Core},
		"no kind":       {Cluster: "a", Deployment: 1},
		"wrong kind":    {Cluster: "a", Deployment: 1, NodeKind: TransientCore + 1},
		"second master": {Cluster: "a", Deployment: 1, NodeKind: Core, Master: true},
	} {
		m, c := hand(t, Spec{Name: "a", Core: 1}, &node{name: "o", kind: Core, state: Up, master: true})
		m.nodes["n"] = &node{name: "n"}
		f.Kind, f.Node = NodeAssigned, "n"
		require.Error(t, m.Apply(&f), name)
		good := Fact{Kind: NodeAssigned, Node: "n", Cluster: "a", Deployment: 1, NodeKind: Transient}
		c.state = Queued
		require.Error(t, m.Apply(&good), "not deployed")
		c.state = Active
		require.NoError(t, m.Apply(&good), name)
	}
}

// A fact about a node that already exists does not fit the state.
func TestNodeJoinsOnce(t *testing.T) {
	m, _ := hand(t, Spec{Name: "a", Core: 1})
	require.NoError(t, m.Apply(&Fact{Kind: NodeJoined, Node: "new"}))
	require.Error(t, m.Apply(&Fact{Kind: NodeJoined, Node: "new"}))
}

// The manager counts reconfigurations by weight, but not the room that it makes.
func TestReconfigurationsAreCounted(t *testing.T) {
	m, c := hand(t, Spec{Name: "a", Core: 1})
	for i, kind := range []FactKind{RoomMade, Reconfigured} {
		require.NoError(t, m.Apply(&Fact{Kind: kind, Shares: []Share{{Cluster: "a", Nodes: 3}}}))
		require.EqualValues(t, i, m.View().Reconfigurations)
		require.Equal(t, 3, c.target)
		require.Error(t, m.Apply(&Fact{Kind: kind, Shares: []Share{{Cluster: "a"}}}), "below its core")
	}
}

// Shares change only for active MR-clusters. Others keep their target.
func TestReconfigureKeepsTargetsOfOthers(t *testing.T) {
	m, a := hand(t, Spec{Name: "a", Core: 1})
	b := &cluster{spec: Spec{Name: "b", Core: 1}, state: Loading, deployment: 2, target: 3}
	m.put(b)
	for range 10 {
		m.order = append(m.order, &node{state: Up})
	}
	a.weight, a.target = 1, 2
	m.reconfigure()
	require.Equal(t, 9, a.target)
	require.Equal(t, 3, b.target)
	m.out = nil
	m.reconfigure()
	require.Empty(t, m.out, "no target changes")
}

func TestWhyAnMRClusterSaves(t *testing.T) {
	for doomed, want := range map[bool]string{true: "removal was requested", false: "idle"} {
		m, c := hand(t, Spec{Name: "a", Core: 1})
		c.idleSince, c.idleTold, c.doomed = 1, true, doomed
		m.now = m.cfg.IdleAfter
		if !doomed {
			m.followActive(c)
			require.Equal(t, Active, c.state, "1 ms is left")
			m.now++
		}
		m.followActive(c)
		require.Equal(t, want, lastFact(t, m).Reason)
	}
}

func TestOutputsAreAppended(t *testing.T) {
	m, _ := hand(t, Spec{Name: "a", Core: 1})
	require.EqualValues(t, 7, m.Recovered(200, []Output{{Req: 7}})[0].Req)
	require.EqualValues(t, 8, m.Step(&Input{Now: 300}, []Output{{Req: 8}})[0].Req)
}

// Err returns the first fault.
func TestTheFirstFaultIsKept(t *testing.T) {
	m, _ := hand(t, Spec{Name: "a", Core: 1})
	require.NoError(t, m.Err())
	require.False(t, m.emit(Fact{Kind: NodeUp, Node: "x"}))
	first := m.Err()
	require.ErrorContains(t, first, "x")
	require.False(t, m.emit(Fact{Kind: NodeUp, Node: "y"}))
	require.Equal(t, first, m.Err())
}

// Each timeout of a node and of an MR-cluster is a deadline, unless it has passed.
func TestDeadlines(t *testing.T) {
	quiet := int64(1_000_000)
	for name, x := range map[string]struct {
		node node
		c    cluster
		want int64
	}{
		"none":           {node{heard: quiet}, cluster{}, quiet},
		"silence":        {node{heard: 90}, cluster{}, 90 + 5000},
		"master":         {node{heard: 90, master: true}, cluster{}, 90 + 20_000},
		"starting":       {node{heard: quiet, state: Starting, since: 50}, cluster{}, 50 + 8000},
		"draining":       {node{heard: quiet, state: Draining, since: 50}, cluster{}, 50 + 30_000},
		"rests":          {node{heard: quiet, avoid: 101}, cluster{}, 101},
		"rested":         {node{heard: quiet, avoid: 100}, cluster{}, quiet},
		"kept":           {node{heard: quiet, keep: 700}, cluster{}, 700},
		"retry":          {node{heard: quiet}, cluster{retryAt: 800}, 800},
		"idle":           {node{heard: quiet}, cluster{state: Active, idleSince: 90, idleTold: true}, 90 + 10_000},
		"idle, untold":   {node{heard: quiet}, cluster{state: Active, idleSince: 90}, quiet},
		"idle but saves": {node{heard: quiet}, cluster{state: Saving, idleSince: 90, idleTold: true}, quiet},
	} {
		m, _ := hand(t, Spec{Name: "a", Core: 1})
		x.node.cluster = &x.c
		m.order, m.byName = []*node{&x.node}, []*cluster{&x.c}
		require.Equal(t, x.want, m.NextDeadline(), name)
	}
}

// The neediest MR-cluster is furthest below its target. Missing core nodes do not count.
func TestNeediest(t *testing.T) {
	up := []*node{{state: Up, kind: Core}, {state: Up, kind: Transient}}
	few := &cluster{state: Active, target: 5, nodes: up, spec: Spec{Core: 3}}
	most := &cluster{state: Active, target: 4, nodes: up, spec: Spec{Core: 1}}
	require.Equal(t, most, neediest([]*cluster{few, most, {state: Loading, target: 9}}))
	most.target = 3
	require.Equal(t, few, neediest([]*cluster{few, most}), "the first among equals")
	most.target, few.target = 2, 4
	require.Nil(t, neediest([]*cluster{few, most}))
	require.Equal(t, "a lacks 1 core node, b lacks 2 core nodes", wanting([]*cluster{
		{spec: Spec{Name: "a", Core: 2}, state: Active, nodes: up},
		{spec: Spec{Name: "b", Core: 3}, state: Active, nodes: up},
		{spec: Spec{Name: "c", Core: 1}, state: Active, nodes: up}}))
}

func TestReplicasAndNames(t *testing.T) {
	for core, want := range map[int]int{1: 1, 3: 3, 9: 3} {
		require.Equal(t, want, (&Spec{Core: core}).Replicas())
	}
	last := Spec{Core: 1, Conf: []string{"dfs.replication=2", "dfs.replication= 5", "dfs.replication=0"}}
	require.Equal(t, 5, last.Replicas(), "the last valid setting")
	for name, good := range map[string]bool{"": false, "azAZ09-_": true, strings.Repeat("x", 64): true,
		strings.Repeat("x", 65): false, "a.b": false, "a[": false, "a@": false, "a`": false, "a{": false, "a/": false,
		"a:": false} {
		require.Equal(t, good, (&Spec{Name: name, Core: 1, Grow: Transient}).Validate() == nil, name)
	}
}

func TestUsers(t *testing.T) {
	for list, want := range map[string]string{"": "ann,", "bob,eve": "ann,bob,eve", "bob ops": "ann,bob ops",
		" ops": "ann, ops", "*": "*", " * ": "*"} {
		s := Spec{User: "ann", Conf: []string{conf.SecurityJobClientProtocolACL.Name + "=first",
			conf.SecurityJobClientProtocolACL.Name + "=" + list, "k=v"}}
		require.Equal(t, want, s.Users("me"), list)
	}
	require.Equal(t, "me,", (&Spec{}).Users("me"), "a request from an older version")
}

// The limits of a request are valid themselves. Paths to load and to save count together.
func TestLimitsOfARequest(t *testing.T) {
	copies := func(n int) []Copy { return slices.Repeat([]Copy{{"x", "y"}}, n) }
	for name, x := range map[string]struct {
		spec Spec
		good bool
	}{
		"cores":             {Spec{Core: 100_000}, true},
		"too many cores":    {Spec{Core: 100_001}, false},
		"paths":             {Spec{Core: 1, Load: copies(600), Save: copies(400)}, true},
		"too many paths":    {Spec{Core: 1, Load: copies(600), Save: copies(401)}, false},
		"settings":          {Spec{Core: 1, Conf: slices.Repeat([]string{"k=v"}, 1000)}, true},
		"too many settings": {Spec{Core: 1, Conf: slices.Repeat([]string{"k=v"}, 1001)}, false},
		"a long user":       {Spec{Core: 1, User: strings.Repeat("u", 256<<10)}, false},
		"a user as a path":  {Spec{Core: 1, User: "../ann"}, false},
		"a user above":      {Spec{Core: 1, User: ".."}, false},
		"a user with a dot": {Spec{Core: 1, User: "ann.b"}, true},
		"no key":            {Spec{Core: 1, Conf: []string{"=v"}}, false},
		"no equals sign":    {Spec{Core: 1, Conf: []string{"kv"}}, false},
		"no source":         {Spec{Core: 1, Load: []Copy{{"", "y"}}}, false},
		"no destination":    {Spec{Core: 1, Save: []Copy{{"x", ""}}}, false},
	} {
		x.spec.Name = "a"
		require.Equal(t, x.good, x.spec.Validate() == nil, name)
	}
}

// The view says what a deployment waits for, and where each node works.
func TestViewOfADeployment(t *testing.T) {
	m, c := hand(t, Spec{Name: "a", Core: 2}, &node{name: "n", kind: Core, state: Up, doing: "old"},
		&node{name: "o", kind: Core, state: Starting, doing: "DataNode"})
	require.Empty(t, m.View().Clusters[0].Doing, "it is active")
	c.state = Deploying
	require.Equal(t, "o: DataNode", m.View().Clusters[0].Doing)
	require.Equal(t, []string{"a", "a"}, []string{m.View().Nodes[0].Cluster, m.View().Nodes[1].Cluster})
	require.Equal(t, []string{"", "DataNode"}, []string{m.View().Nodes[0].Doing, m.View().Nodes[1].Doing})
}

// States and kinds that a newer manager might know have a name, too.
func TestUnknownStates(t *testing.T) {
	require.Equal(t, "saving", ClusterState(99).String())
	require.Equal(t, "lost", NodeState(99).String())
	require.Equal(t, "transient-core", Kind(99).String())
	require.Equal(t, "cluster-sized", FactKind(99).String())
}

func TestMeanOfAnInterval(t *testing.T) {
	y := mean{last: 7}
	require.EqualValues(t, 7, y.end(), "no samples")
	y.add(2)
	y.add(4)
	require.EqualValues(t, 3, y.end())
	require.EqualValues(t, 3, y.end())
}
