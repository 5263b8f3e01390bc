package mrcluster

import (
	"fmt"
	"slices"
)

// ClusterState is the state of an MR-cluster.
type ClusterState uint8

// The states of an MR-cluster.
const (
	Defined   ClusterState = iota // requested; not deployed until its first job
	Queued                        // waiting in the global FIFO
	Deploying                     // admitted; its core nodes are starting
	Loading                       // copying its input
	Active                        // running jobs, growing and shrinking
	Saving                        // copying its output
)

var clusterStates = [...]string{"defined", "queued", "deploying", "loading", "active", "saving"}

func (s ClusterState) String() string { return clusterStates[min(int(s), len(clusterStates)-1)] }

// MarshalText returns the name of the state.
func (s ClusterState) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText parses the name of a state.
func (s *ClusterState) UnmarshalText(text []byte) error {
	i := slices.Index(clusterStates[:], string(text))
	if i < 0 {
		return fmt.Errorf("%q is not a state of an MR-cluster", text)
	}
	*s = ClusterState(i)
	return nil
}

// deployed reports whether an MR-cluster in this state is entitled to its minimum share.
func (s ClusterState) deployed() bool { return s >= Deploying }

// NodeState is the state of a node.
type NodeState uint8

// The states of a node.
const (
	Free     NodeState = iota // idle, in no MR-cluster
	Starting                  // assigned to an MR-cluster; its daemons are starting
	Up                        // working for its MR-cluster
	Draining                  // leaving; works until its tasks have ended and its data has moved
	Clearing                  // in no MR-cluster, but daemons might still be running
	Lost                      // its agent does not report
)

var nodeStates = [...]string{"free", "starting", "up", "draining", "clearing", "lost"}

func (s NodeState) String() string { return nodeStates[min(int(s), len(nodeStates)-1)] }

// MarshalText returns the name of the state.
func (s NodeState) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText parses the name of a state.
func (s *NodeState) UnmarshalText(text []byte) error {
	i := slices.Index(nodeStates[:], string(text))
	if i < 0 {
		return fmt.Errorf("%q is not a state of a node", text)
	}
	*s = NodeState(i)
	return nil
}

// A node is the state of a node of the pool.
type node struct {
	name    string
	addr    string
	state   NodeState
	since   int64 // when the node entered the state
	cluster *cluster
	kind    Kind
	master  bool
	was     assignment // last assignment before release or loss; the agent might still be running it

	// The journal does not contain the fields below.
	heard   int64
	voice   string // ID of the agent that reported; "" = none since the manager started
	beat    int64  // time between the last two reports
	stored  int64  // last reported bytes of the MR-cluster's data
	left    int64  // last reported bytes that a drain still has to move
	fails   int    // failed starts since the node was last up
	avoid   int64  // earliest time of the next assignment
	blamed  string // the only MR-cluster for which starts failed and avoid applies; "" = all
	keep    int64  // earliest time of the next drain
	down    int64  // when the daemons of a node in state Up were first found not running; 0 = they are running
	problem string // why the node makes no progress in its MR-cluster
	doing   string // the service that the node is waiting for while it starts
	failure string // failure that caused the release, kept until the node is up again; "" = none
	failed  int64  // time of failure
}

// An assignment is the role of a node in a deployment.
type assignment struct {
	cluster    string
	deployment int64
	kind       Kind
}

// A cluster is the state of an MR-cluster.
type cluster struct {
	spec       Spec
	state      ClusterState
	since      int64 // when the MR-cluster entered the state
	queued     int64 // when the MR-cluster last entered the FIFO with a new ticket
	ticket     int64 // determines the position in the FIFO
	deployment int64 // number of the last deployment, unique within the pool; 0 = none
	tries      int   // attempts to deploy since the request or since the MR-cluster was last active
	target     int   // number of nodes by weight, including the floor at the time of the computation
	size       int   // operator size: nodes to keep while active, regardless of the weight; 0 = only by weight
	doomed     bool
	discard    bool
	headless   bool // the MR-cluster has lost its master
	lastError  string
	overall    float64 // D_i since the request, without fraction and elapsed
	weight     float64 // w_i of the last interval
	weighed    bool    // an interval has set the weight

	// A SavedCluster does not contain the fields below.
	nodes     []*node // by name
	y         []mean  // indexed by term of the policy
	fraction  float64 // integral of c_i over the current interval, in s
	elapsed   float64 // length of the current interval, in s
	last      float64 // D_i over the last interval
	sample    Sample
	idleSince int64 // when the MR-cluster became idle; 0 = it has work
	idleTold  bool  // the last sample showed no work
	retryAt   int64 // earliest time of the next save after a failed one; 0 = now
	asked     bool  // a load or save has been ordered
	unsaved   int   // failed saves in a row
	floor     int   // minimum number of nodes that the pool can grant now; see Machine.deployed
	failed    int   // failed node starts in the current deployment
}

// A mean accumulates the samples of an interval.
type mean struct {
	sum  float64
	n    int64
	last float64 // mean of the last interval that had samples
}

// held returns the number of nodes that are not leaving.
func (c *cluster) held() int {
	n := 0
	for _, x := range c.nodes {
		if x.state == Starting || x.state == Up {
			n++
		}
	}
	return n
}

// cores returns the number of core nodes that are not leaving. If up is set, it counts only those
// that are up.
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

// holders returns the number of noncore nodes that are up and hold data. They must drain before
// they leave, unless the whole deployment ends.
func (c *cluster) holders() int {
	n := 0
	for _, x := range c.nodes {
		if x.kind != Core && x.state == Up && x.holdsData() {
			n++
		}
	}
	return n
}

// lacks returns the number of missing core nodes.
func (c *cluster) lacks() int {
	if !c.state.deployed() {
		return 0
	}
	return max(0, c.spec.Core-c.cores(false))
}

// leavable returns the number of nodes that the MR-cluster could release now.
func (c *cluster) leavable(now int64) int {
	n := 0
	for _, x := range c.nodes {
		if x.mayLeave(now) {
			n++
		}
	}
	return n
}

// surplus returns the number of nodes above the target that the MR-cluster can release now.
func (c *cluster) surplus(now int64) int { return min(max(0, c.held()-c.goal()), c.leavable(now)) }

// goal returns the desired number of nodes.
func (c *cluster) goal() int { return max(c.target, c.floor) }

// minimum returns the number of nodes to which a deployed MR-cluster is entitled regardless of its
// weight. An MR-cluster that is being saved needs only its core nodes.
func (c *cluster) minimum() int {
	if c.state == Saving {
		return c.spec.Core
	}
	return max(c.spec.Core, c.size)
}

// short returns the number of missing nodes below the floor, apart from core nodes. Only an active
// MR-cluster uses other nodes.
func (c *cluster) short() int {
	if c.state != Active {
		return 0
	}
	return max(0, c.floor-c.held()-c.lacks())
}

// mayLeave reports whether the node may begin to leave its MR-cluster now. Core nodes stay while
// the MR-cluster is deployed, and a node whose drain took too long stays until the time n.keep.
func (n *node) mayLeave(now int64) bool {
	return n.kind != Core && (n.state == Starting || n.state == Up && n.keep <= now)
}

// usable reports whether c may use the node if it is free. If the daemons of one MR-cluster failed
// to start on the node, others may still use the node. Otherwise, a request with a broken program
// or setting could block nodes for all MR-clusters.
func (n *node) usable(c *cluster, now int64) bool {
	return n.avoid <= now || n.blamed != "" && n.blamed != c.spec.Name
}

// holdsData reports whether a node might hold the only copy of some data. A node can receive data
// before it reports that it is up.
func (n *node) holdsData() bool {
	c := n.cluster
	return c != nil && c.state != Deploying && (n.master || c.spec.HDFS && n.kind.MayStore())
}
