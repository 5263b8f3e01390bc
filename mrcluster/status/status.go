// Package status defines the status of a pool of nodes and its MR-clusters. Package
// mrcluster/client returns these types, and pages and commands display them.
package status

import "github.com/howdah/howdah/mrcluster"

// A Pool is the manager's view of a pool of nodes and its MR-clusters. Times are in milliseconds
// since the Unix epoch.
type Pool struct {
	Name             string
	Incarnation      int64 // increases with every start of the manager
	Version          string
	StartedMs, NowMs int64
	Weights          string  // name of the weighting policy
	Global           float64 // global discrimination of the last interval, in s^2
	Threshold        float64 // global discrimination above which nodes move; in s^2
	Reconfigurations int64
	NextCycleMs      int64
	Queue            []string // MR-clusters that wait for nodes, in FIFO order
	Clusters         []*Cluster
	Nodes            []*mrcluster.NodeView
	Events           []*Event // recent decisions, newest first
}

// A Cluster is the status of an MR-cluster.
type Cluster struct {
	mrcluster.ClusterView
	Endpoints Endpoints
}

// Up reports whether the addresses of the MR-cluster's JobTracker and (if it has its own HDFS)
// NameNode are known.
func (c *Cluster) Up() bool {
	return c.Endpoints.JobTracker != "" && (c.Endpoints.NameNode != "" || !c.Spec.HDFS)
}

// Endpoints holds the addresses of an MR-cluster's servers. An unknown address is "".
type Endpoints struct {
	JobTracker    string // host:port
	JobTrackerWeb string // host:port
	NameNode      string // URI
	NameNodeWeb   string // host:port
	Trusted       bool   // a holder of the secret has reported the addresses
}

// Known reports whether the address of the JobTracker or of the NameNode is known.
func (e Endpoints) Known() bool { return e.JobTracker != "" || e.NameNode != "" }

// An Event is a decision of the manager.
type Event struct {
	TimeMs        int64
	Fact          mrcluster.FactKind
	Cluster, Node string         // "" = not about an MR-cluster, or not about a node
	Kind          mrcluster.Kind // of the node
	Reason        string
	Shares        []Share
}

// A Share is the number of nodes that a decision assigns to an MR-cluster, along with the
// underlying figures.
type Share struct {
	Cluster                string
	Nodes                  int
	Weight, Discrimination float64
}
