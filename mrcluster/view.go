package mrcluster

import "slices"

// A View is a snapshot of a pool's state, for pages and commands. Later steps of the Machine do not
// change it.
type View struct {
	Now      int64
	Clusters []ClusterView // by name
	Nodes    []NodeView    // by name
	Queue    []string      // waiting MR-clusters in FIFO order
	// Global is the global discrimination of the last cycle, in s^2 (equation 3).
	Global           float64
	Reconfigurations int64 // number of reconfigurations by weight since the journal began
	NextCycle        int64
}

// A ClusterView is the state of one MR-cluster.
type ClusterView struct {
	Spec       Spec
	State      ClusterState
	Since      int64
	Deployment int64
	Target     int
	Size       int // operator size: minimum number of nodes while active; 0 = only by weight
	Cores      int // number of core nodes that are not leaving
	Held       int // number of nodes that are not leaving
	Leaving    int
	Weight     float64
	// Discrimination covers the last interval, and Overall covers the time since the request. Both
	// are in seconds (equation 2).
	Discrimination, Overall float64
	Master                  string
	Sample                  Sample
	LastError               string
	// Doing describes what the deployment is waiting for: a starting node and the service on that
	// node.
	Doing  string
	Doomed bool
}

// A NodeView is the state of one node.
type NodeView struct {
	Name, Addr string
	State      NodeState
	Since      int64
	Cluster    string
	Kind       Kind
	Master     bool
	Stored     int64
	Left       int64 // bytes that a drain still has to move
	// Problem explains why the node makes no progress in its MR-cluster. For a node without an
	// MR-cluster, Problem explains why the node failed in its last one, at FailedAt. It is kept
	// until the node is up in an MR-cluster again.
	Problem  string
	FailedAt int64  // 0 = Problem is about the current MR-cluster
	Doing    string // the service that the node is waiting for while it starts
}

// View returns a snapshot of the current state.
func (m *Machine) View() View {
	v := View{Now: m.now, Global: m.global, Reconfigurations: m.reconfigurations, NextCycle: m.cycleAt}
	for _, c := range m.byName {
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
	v := ClusterView{Spec: c.spec, State: c.state, Since: c.since, Deployment: c.deployment, Target: c.goal(),
		Size: c.size, Cores: c.cores(false), Held: c.held(),
		Weight: c.weight, Discrimination: c.last, Overall: c.overall, Sample: c.sample, LastError: c.lastError,
		Doomed: c.doomed}
	v.Leaving = len(c.nodes) - v.Held
	if n := c.master(); n != nil {
		v.Master = n.name
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
	v := NodeView{Name: n.name, Addr: n.addr, State: n.state, Since: n.since, Kind: n.kind, Master: n.master,
		Stored: n.stored, Left: n.left, Problem: n.problem}
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

// Cluster returns the named MR-cluster and reports whether it exists.
func (m *Machine) Cluster(name string) (ClusterView, bool) {
	c := m.clusters[name]
	if c == nil {
		return ClusterView{}, false
	}
	return c.view(), true
}

// Nodes returns the nodes of an MR-cluster, sorted by name.
func (m *Machine) Nodes(name string) []NodeView {
	var out []NodeView
	if c := m.clusters[name]; c != nil {
		for _, n := range slices.Clone(c.nodes) {
			out = append(out, n.view())
		}
	}
	return out
}
