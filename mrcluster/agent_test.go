package mrcluster

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

// A full pool rejects new nodes, but still hears its own.
func TestFullPool(t *testing.T) {
	m, _ := hand(t, Spec{Name: "a", Core: 1}, &node{name: "n", kind: Core, state: Up})
	m.cfg.MaxNodes = 1
	require.Nil(t, m.report(&Report{Node: "n"}))
	require.Equal(t, failure.Limit, m.report(&Report{Node: "o"}).Kind)
	m.cfg.MaxNodes = 2
	require.Nil(t, m.report(&Report{Node: "o"}))
}

// An agent that reports rarely counts as alive for twice the time between its reports. A new agent
// counts as alive for the minimum time, because the time between its reports is unknown.
func TestAgentsThatReportRarely(t *testing.T) {
	m, _ := hand(t, Spec{Name: "a", Core: 1})
	m.cfg.Expiry = 1_000_000
	report := func(agent string, after int64) bool {
		m.now += after
		return m.report(&Report{Node: "n", Agent: agent}) == nil
	}
	require.True(t, report("first", 0))
	require.True(t, report("first", 5000))
	require.False(t, report("second", 9999))
	require.True(t, report("second", 1))
	require.False(t, report("third", rivalry-1))
	require.True(t, report("third", 1))
}

// A lost or released node returns to its MR-cluster if its daemons still run there and may have
// stored data. Any other node must first end its daemons.
func TestWhichNodesReturn(t *testing.T) {
	for name, x := range map[string]struct {
		change  func(*cluster, *node, *Running)
		returns bool
	}{
		"may hold data":           {func(*cluster, *node, *Running) {}, true},
		"no HDFS":                 {func(c *cluster, _ *node, _ *Running) { c.spec.HDFS = false }, false},
		"stores nothing":          {func(_ *cluster, n *node, _ *Running) { n.was.kind = Transient }, false},
		"was in no MR-cluster":    {func(_ *cluster, n *node, _ *Running) { n.was = assignment{} }, false},
		"ended":                   {func(c *cluster, _ *node, _ *Running) { c.state = Queued }, false},
		"deployed again":          {func(c *cluster, _ *node, _ *Running) { c.deployment = 2 }, false},
		"still being deployed":    {func(c *cluster, _ *node, _ *Running) { c.state = Deploying }, false},
		"runs another deployment": {func(_ *cluster, _ *node, r *Running) { r.Deployment = 2 }, false},
		"runs another MR-cluster": {func(_ *cluster, _ *node, r *Running) { r.Cluster = "b" }, false},
	} {
		for _, state := range []NodeState{Lost, Clearing} {
			m, c := hand(t, Spec{Name: "a", Core: 1, HDFS: true}, &node{name: "o", kind: Core, state: Up})
			n := &node{name: "n", state: state, was: assignment{"a", 1, TransientCore}}
			m.nodes["n"], m.order = n, append(m.order, n)
			run := Running{Cluster: "a", Deployment: 1}
			x.change(c, n, &run)
			require.Nil(t, m.report(&Report{Node: "n", Runs: []Running{run}}))
			require.NoError(t, m.Err())
			require.Equal(t, x.returns, n.state == Up, "%s, %v", name, state)
			require.Equal(t, !x.returns, n.state == Clearing, "%s, %v", name, state)
		}
	}
}

// A node that has ended its daemons has no data, so nothing calls it back later.
func TestAFreedNodeDoesNotReturn(t *testing.T) {
	m, _ := hand(t, Spec{Name: "a", Core: 1, HDFS: true})
	n := &node{name: "n", state: Clearing, was: assignment{"a", 1, Core}}
	m.nodes["n"], m.order = n, append(m.order, n)
	require.Nil(t, m.report(&Report{Node: "n"}))
	require.Equal(t, Free, n.state)
	require.NoError(t, m.Apply(&Fact{Kind: NodeLost, Node: "n"}))
	require.Nil(t, m.creditor(n))
}

// A node that comes up has recovered from its failures: the next one counts as the first. While
// none of its daemons run, it waits for none of them.
func TestANodeThatStarts(t *testing.T) {
	m, _ := hand(t, Spec{Name: "a", Core: 1},
		&node{name: "n", kind: Transient, state: Starting, fails: 5, doing: "DataNode"})
	n := m.nodes["n"]
	m.starting(n, nil)
	require.Empty(t, n.view().Doing)
	m.starting(n, &Running{Phase: PhaseUp})
	require.Equal(t, Up, n.state)
	m.startFailed(n, "why")
	require.Equal(t, m.now+m.cfg.Retry<<1, n.avoid)
}

// A deployment starts over if its master does not start, or as many other nodes as it has attempts.
// Fewer nodes are replaced. An MR-cluster that is active survives any number of failures.
func TestFailedStartsOfADeployment(t *testing.T) {
	for _, x := range []struct {
		state  ClusterState
		failed []string
		want   ClusterState
	}{
		{Deploying, []string{"2", "3"}, Deploying}, {Deploying, []string{"2", "3", "4"}, Queued},
		{Deploying, []string{"1"}, Queued}, {Active, []string{"2", "3", "4"}, Active}, {Active, []string{"1"}, Active},
	} {
		m, c := hand(t, Spec{Name: "a", Core: 4}, &node{name: "1", kind: Core, state: Starting, master: true},
			&node{name: "2", kind: Core, state: Starting}, &node{name: "3", kind: Core, state: Starting},
			&node{name: "4", kind: Core, state: Starting})
		c.state = x.state
		require.Equal(t, 3, m.cfg.Attempts)
		for _, name := range x.failed {
			m.startFailed(m.nodes[name], "why")
		}
		require.NoError(t, m.Err())
		require.Equal(t, x.want, c.state, "%+v", x)
	}
}

// A timeout has passed when its whole time has passed.
func TestTimeoutsOfNodes(t *testing.T) {
	for name, x := range map[string]struct {
		node  node
		hdfs  bool
		after int64
		want  Fact
	}{
		"silent": {node{kind: Transient, state: Up}, false, 5000, Fact{Kind: NodeLost, Cluster: "a"}},
		"silent master": {node{kind: Core, state: Up, master: true}, false, 20_000,
			Fact{Kind: NodeLost, Cluster: "a"}},
		"starting":       {node{kind: Transient, state: Starting}, false, 8000, Fact{Kind: NodeReleased, Cluster: "a"}},
		"starting, HDFS": {node{kind: Transient, state: Starting}, true, 9000, Fact{Kind: NodeReleased, Cluster: "a"}},
		"draining":       {node{kind: Transient, state: Draining}, true, 30_000, Fact{Kind: NodeReleased, Cluster: "a"}},
		"draining data": {node{kind: TransientCore, state: Draining}, true, 30_000,
			Fact{Kind: NodeKept, Cluster: "a", NodeKind: TransientCore}},
	} {
		m, _ := hand(t, Spec{Name: "a", Core: 1, HDFS: x.hdfs}, &x.node)
		m.cfg.StartTimeoutHDFS = 9000
		n, start := &x.node, m.now
		n.name, n.since = "n", start
		m.nodes = map[string]*node{"n": n}
		pass := func(ms int64) {
			m.now = start + ms
			if x.want.Kind != NodeLost {
				n.heard = m.now
			}
			m.expire()
		}
		pass(x.after - 1)
		require.Empty(t, m.out, name)
		pass(x.after)
		got := lastFact(t, m)
		require.Equal(t, x.want, Fact{Kind: got.Kind, Cluster: got.Cluster, NodeKind: got.NodeKind}, name)
		if got.Kind == NodeKept {
			require.False(t, n.mayLeave(m.now+m.cfg.DrainTimeout-1), "it has just tried")
			require.True(t, n.mayLeave(m.now+m.cfg.DrainTimeout))
		}
	}
	m, _ := hand(t, Spec{Name: "a", Core: 1})
	m.nodes["n"] = &node{name: "n", state: Lost, since: m.now}
	m.order = []*node{m.nodes["n"]}
	m.now += m.cfg.MasterExpiry - 1
	m.expire()
	require.Len(t, m.nodes, 1)
	m.now++
	m.expire()
	require.Empty(t, m.nodes, "it does not return")
}

// Every node learns where its master is. The master's orders list the nodes that leave and the
// nodes that stay.
func TestOrders(t *testing.T) {
	c := &cluster{}
	c.nodes = []*node{{name: "a", addr: "h:1", master: true, cluster: c}, {name: "b", state: Draining, cluster: c}}
	m := &Machine{}
	d := m.desired(c.nodes[0])
	require.Equal(t, []string{"b"}, d.Leaving)
	require.Equal(t, []string{"a"}, d.Staying)
	d = m.desired(c.nodes[1])
	require.Equal(t, []string{"a", "h:1"}, []string{d.MasterNode, d.MasterAddr})
	require.Empty(t, d.Leaving)
	require.Empty(t, d.Staying)
	c.nodes = c.nodes[1:]
	require.Empty(t, m.desired(c.nodes[0]).MasterNode, "it is lost")
}
