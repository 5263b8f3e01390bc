package mrcluster

import (
	"fmt"
	"slices"
)

// ClusterState is where an MR-cluster is in its life.
type ClusterState uint8

// The states of an MR-cluster.
const (
	Defined   ClusterState = iota // a request; nothing is deployed before its first job
	Queued                        // in the global FIFO
	Deploying                     // admitted: its core nodes are being started
	Loading                       // its input is being copied
	Active                        // runs jobs, grows and shrinks
	Saving                        // its output is being copied
)

var clusterStates = [...]string{"defined", "queued", "deploying", "loading", "active", "saving"}

func (s ClusterState) String() string { return clusterStates[min(int(s), len(clusterStates)-1)] }

// MarshalText gives the name.
func (s ClusterState) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a name.
func (s *ClusterState) UnmarshalText(text []byte) error {
	i := slices.Index(clusterStates[:], string(text))
	if i < 0 {
		return fmt.Errorf("%q is no state of an MR-cluster", text)
	}
	*s = ClusterState(i)
	return nil
}

// deployed tells whether an MR-cluster has a claim on its minimum share.
func (s ClusterState) deployed() bool { return s >= Deploying }

// NodeState is where a node is.
type NodeState uint8

// The states of a node.
const (
	Free     NodeState = iota // runs nothing and belongs to nobody
	Starting                  // assigned; its daemons are being started
	Up                        // works for its MR-cluster
	Draining                  // works until what it runs and holds has another place
	Clearing                  // belongs to nobody, but something may still run there
	Lost                      // its agent is silent
)

var nodeStates = [...]string{"free", "starting", "up", "draining", "clearing", "lost"}

func (s NodeState) String() string { return nodeStates[min(int(s), len(nodeStates)-1)] }

// MarshalText gives the name.
func (s NodeState) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a name.
func (s *NodeState) UnmarshalText(text []byte) error {
	i := slices.Index(nodeStates[:], string(text))
	if i < 0 {
		return fmt.Errorf("%q is no state of a node", text)
	}
	*s = NodeState(i)
	return nil
}

// node is a machine of the pool.
type node struct {
	name    string
	addr    string
	state   NodeState
	since   int64 // of the state
	cluster *cluster
	kind    Kind
	master  bool
	was     assignment // before it was given up; its agent may not know yet

	// Not durable:
	heard   int64
	voice   string // which agent was heard; "" = none since the manager was started
	beat    int64  // time between its last two reports
	stored  int64  // bytes of its MR-cluster's data, as last told
	left    int64  // what a drain has still to move, as last told
	fails   int
	avoid   int64  // not to be used before
	blamed  string // the only MR-cluster for which avoid holds, since it alone failed there; "" = for all
	keep    int64  // not to be drained again before
	down    int64  // since when it is not up though it should be; 0 = it is
	problem string // why it does not get on in its MR-cluster
	doing   string // while it starts: what it waits for
	failure string // why it was given up when it failed, told until it is up again; "" = it did not fail
	failed  int64  // when
}

// assignment is what a node was to a deployment.
type assignment struct {
	cluster    string
	deployment int64
	kind       Kind
}

// cluster is an MR-cluster.
type cluster struct {
	spec       Spec
	state      ClusterState
	since      int64 // of the state
	queued     int64 // when it was requested, for FIFO and overall discrimination
	ticket     int64 // its place in the FIFO
	deployment int64 // counts deployments
	tries      int   // of this request
	target     int   // nodes it shall have
	doomed     bool
	discard    bool
	headless   bool // it has lost its master
	lastError  string
	overall    float64 // D_i since the request, without this interval
	weight     float64 // w_i of the last interval
	weighed    bool    // there was such an interval

	// Not durable:
	nodes     []*node // by name
	y         []mean  // by term of the policy
	fraction  float64 // integral of c_i over this interval, in s
	elapsed   float64 // its length, in s
	last      float64 // D_i over the last interval
	sample    Sample
	idleSince int64 // 0 = it has something to do
	idleTold  bool  // a sample has said so since
	retryAt   int64 // load or save again; 0 = at work
	asked     bool  // to load or save
	unsaved   int   // attempts to save that failed
	failed    int   // nodes that did not start, of this deployment
}

// mean collects the samples of an interval.
type mean struct {
	sum  float64
	n    int64
	last float64 // of the last interval with samples
}

// held is how many nodes the cluster has that are not on their way out.
func (c *cluster) held() int {
	n := 0
	for _, x := range c.nodes {
		if x.state == Starting || x.state == Up {
			n++
		}
	}
	return n
}

// cores is how many core nodes it has that are not leaving; with up only those that are up.
func (c *cluster) cores(up bool) int {
	n := 0
	for _, x := range c.nodes {
		if x.kind == Core && (x.state == Up || x.state == Starting && !up) {
			n++
		}
	}
	return n
}

func (c *cluster) master() *node {
	for _, x := range c.nodes {
		if x.master {
			return x
		}
	}
	return nil
}

// holders is how many nodes beside the core hold data. Where all of it is about to be given up they need not be drained before.
func (c *cluster) holders() int {
	n := 0
	for _, x := range c.nodes {
		if x.kind != Core && x.state == Up && x.holdsData() {
			n++
		}
	}
	return n
}

// lacks is how many core nodes are still to be found.
func (c *cluster) lacks() int {
	if !c.state.deployed() {
		return 0
	}
	return max(0, c.spec.Core-c.cores(false))
}

// leavable is how many nodes it could give up now.
func (c *cluster) leavable(now int64) int {
	n := 0
	for _, x := range c.nodes {
		if x.mayLeave(now) {
			n++
		}
	}
	return n
}

// surplus is how many nodes it has above its target and can give up now.
func (c *cluster) surplus(now int64) int { return min(max(0, c.held()-c.target), c.leavable(now)) }

// mayLeave: core nodes stay for as long as their MR-cluster is deployed.
func (n *node) mayLeave(now int64) bool {
	return n.kind != Core && (n.state == Starting || n.state == Up && n.keep <= now)
}

// usable tells whether an MR-cluster may have the node, if it is free. Where the daemons of one do not start, those of others are tried: a
// request with a broken program or setting shall not take the nodes from everybody.
func (n *node) usable(c *cluster, now int64) bool {
	return n.avoid <= now || n.blamed != "" && n.blamed != c.spec.Name
}

// holdsData tells whether a node may hold what is nowhere else; one that is starting may hold some before it says that it is up.
func (n *node) holdsData() bool {
	c := n.cluster
	return c != nil && c.state != Deploying && (n.master || c.spec.HDFS && n.kind.MayStore())
}
