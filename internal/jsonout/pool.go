package jsonout

import (
	"github.com/howdah/howdah/mrcluster/status"
)

// MRCluster is an MR-cluster. Scripts depend on the names of its fields.
type MRCluster struct {
	Name           string  `json:"name"`
	Owner          string  `json:"owner,omitempty"`
	State          string  `json:"state"`
	SinceMs        int64   `json:"since_ms,omitempty"`
	Deployment     int64   `json:"deployment"`
	Core           int     `json:"core"`
	Grow           string  `json:"grow,omitempty"`
	HDFS           bool    `json:"hdfs"`
	Nodes          int     `json:"nodes"`
	Target         int     `json:"target"`
	Size           int     `json:"operator_size"`
	Leaving        int     `json:"leaving"`
	Weight         float64 `json:"weight"`
	Discrimination float64 `json:"discrimination_s"`
	Overall        float64 `json:"overall_discrimination_s"`
	Jobs           int64   `json:"jobs"`
	WaitingTasks   int64   `json:"waiting_tasks"`
	RunningTasks   int64   `json:"running_tasks"`
	Master         string  `json:"master,omitempty"`
	JobTracker     string  `json:"jobtracker,omitempty"`
	Web            string  `json:"web,omitempty"`
	NameNode       string  `json:"namenode,omitempty"`
	NameNodeWeb    string  `json:"namenode_web,omitempty"`
	Removing       bool    `json:"removing"`
	LastError      string  `json:"last_error,omitempty"`
}

// Node is a node.
type Node struct {
	Name     string `json:"name"`
	Addr     string `json:"address,omitempty"`
	State    string `json:"state"`
	SinceMs  int64  `json:"since_ms,omitempty"`
	Cluster  string `json:"cluster,omitempty"`
	Kind     string `json:"kind,omitempty"`
	Master   bool   `json:"master"`
	Stored   int64  `json:"stored_bytes"`
	Left     int64  `json:"left_bytes"`
	Problem  string `json:"problem,omitempty"`
	FailedMs int64  `json:"failed_ms,omitempty"`
	Doing    string `json:"doing,omitempty"`
}

// Pool is the pool.
type Pool struct {
	Pool             string      `json:"pool"`
	Weights          string      `json:"weights"`
	Global           float64     `json:"global_discrimination_s2"`
	Reconfigurations int64       `json:"reconfigurations"`
	Queue            []string    `json:"queue"`
	Clusters         []MRCluster `json:"clusters"`
	Nodes            []Node      `json:"nodes"`
}

// OfMRCluster returns the object for an MR-cluster.
func OfMRCluster(c *status.Cluster) MRCluster {
	e, m := &c.Endpoints, &c.Sample
	return MRCluster{Name: c.Spec.Name, Owner: c.Spec.User, State: State(c.State.String()), SinceMs: c.Since,
		Deployment: c.Deployment,
		Core:       c.Spec.Core, Grow: c.Spec.Grow.String(), HDFS: c.Spec.HDFS,
		Nodes: c.Held, Target: c.Target, Size: c.Size, Leaving: c.Leaving, Weight: c.Weight, Discrimination: c.Discrimination,
		Overall: c.Overall,
		Jobs:    m.Jobs, WaitingTasks: m.WaitingTasks, RunningTasks: m.RunningTasks, Master: c.Master,
		JobTracker: e.JobTracker, Web: e.JobTrackerWeb, NameNode: e.NameNode, NameNodeWeb: e.NameNodeWeb,
		Removing: c.Doomed, LastError: c.LastError}
}

// OfMRClusters returns the objects for MR-clusters. The list is never nil.
func OfMRClusters(list []*status.Cluster) []MRCluster {
	out := []MRCluster{}
	for _, c := range list {
		out = append(out, OfMRCluster(c))
	}
	return out
}

// OfPool returns the object for a pool.
func OfPool(p *status.Pool) Pool {
	o := Pool{Pool: p.Name, Weights: p.Weights, Global: p.Global, Reconfigurations: p.Reconfigurations,
		Queue:    append([]string{}, p.Queue...),
		Clusters: OfMRClusters(p.Clusters), Nodes: []Node{}}
	for _, n := range p.Nodes {
		o.Nodes = append(o.Nodes, Node{n.Name, n.Addr, State(n.State.String()), n.Since, n.Cluster,
			n.Kind.String(), n.Master, n.Stored, n.Left, n.Problem, n.FailedAt, n.Doing})
	}
	return o
}
