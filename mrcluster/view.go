package mrcluster

import "slices"

// View is the state of a pool at a moment, for pages and commands. It shares nothing with the machine.
type View struct {
	Now      int64
	Clusters []ClusterView // by name
	Nodes    []NodeView    // by name
	Queue    []string      // who waits, first come first
	// Global is the global discrimination factor of the last cycle in s^2 (equation 3).
	Global           float64
	Reconfigurations int64 // by weight, since the journal began
	NextCycle        int64
}

// ClusterView is one MR-cluster.
type ClusterView struct {
	Spec       Spec
	State      ClusterState
	Since      int64
	Deployment int64
	Target     int
	Cores      int // core nodes that it has
	Held       int // nodes that it has and that are not leaving
	Leaving    int
	Weight     float64
	// Discrimination over the last interval, and Overall since the request, in s (equation 2).
	Discrimination, Overall float64
	Master                  string
	MasterAddr              string
	Sample                  Sample
	LastError               string
	// Doing is what a deployment waits for, on the first node that is not up.
	Doing  string
	Doomed bool
}

// NodeView is one node.
type NodeView struct {
	Name, Addr string
	State      NodeState
	Since      int64
	Cluster    string
	Kind       Kind
	Master     bool
	Stored     int64
	Left       int64 // that a drain has still to move
	// Problem is why it does not get on in its MR-cluster. Of a node that has none it says why it failed in its last one, at
	// FailedAt: worth knowing until it has started well again.
	Problem  string
	FailedAt int64  // 0 = Problem is of now
	Doing    string // while it starts: what it waits for
}

// View gives the state.
func (m *Machine) View() View {
	v := View{Now: m.now, Global: m.global, Reconfigurations: m.reconfigurations, NextCycle: m.cycleAt}
	for _, c := range m.byName() {
		v.Clusters = append(v.Clusters, c.view())
	}
	for _, n := range m.order {
		v.Nodes = append(v.Nodes, n.view())
	}
	for _, c := range m.queue() {
		v.Queue = append(v.Queue, c.spec.Name)
	}
	return v
}

func (c *cluster) view() ClusterView {
	v := ClusterView{Spec: c.spec, State: c.state, Since: c.since, Deployment: c.deployment, Target: c.target, Cores: c.cores(false), Held: c.held(),
		Weight: c.weight, Discrimination: c.last, Overall: c.overall, Sample: c.sample, LastError: c.lastError, Doomed: c.doomed}
	v.Leaving = len(c.nodes) - v.Held
	if n := c.master(); n != nil {
		v.Master, v.MasterAddr = n.name, n.addr
	}
	for _, n := range c.nodes {
		if c.state == Deploying && n.state == Starting && n.doing != "" {
			v.Doing = n.name + ": " + n.doing
			break
		}
	}
	return v
}

func (n *node) view() NodeView {
	v := NodeView{Name: n.name, Addr: n.addr, State: n.state, Since: n.since, Kind: n.kind, Master: n.master, Stored: n.stored, Left: n.left, Problem: n.problem}
	if n.cluster != nil {
		v.Cluster = n.cluster.spec.Name
	} else {
		v.Problem, v.FailedAt = n.failure, n.failed
	}
	if n.state == Starting {
		v.Doing = n.doing
	}
	return v
}

// Cluster gives one MR-cluster; false = there is none of that name.
func (m *Machine) Cluster(name string) (ClusterView, bool) {
	c := m.clusters[name]
	if c == nil {
		return ClusterView{}, false
	}
	return c.view(), true
}

// Nodes lists the nodes of an MR-cluster, by name.
func (m *Machine) Nodes(name string) []NodeView {
	var out []NodeView
	if c := m.clusters[name]; c != nil {
		for _, n := range slices.Clone(c.nodes) {
			out = append(out, n.view())
		}
	}
	return out
}
