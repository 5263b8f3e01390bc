package node

import "github.com/howdah/howdah/mrcluster"

// Services is what one node runs for one deployment of an MR-cluster, as processes of its own. No method blocks, and all may be called
// concurrently.
type Services interface {
	// Apply says what the node should run, again and again. What belongs to another deployment is ended first and its directories are
	// removed; what should run and does not is started.
	Apply(d mrcluster.Desired)
	// Runs tells what runs or may still run, what a former agent left included.
	Runs() []mrcluster.Running
	// Endpoints tells where the daemons of a master listen; the zero value = this node is none, or it is not known yet.
	Endpoints() Endpoints
	// Stop ends everything, removes its directories and returns when that is done.
	Stop()
}

// Endpoints are where the master of an MR-cluster listens; "" = not known yet, or there is none.
type Endpoints struct {
	JobTracker    string // host:port
	JobTrackerWeb string // host:port
	NameNode      string // URI
}

// Master tells where the master of a deployment listens, as it was last heard of; false = not known yet.
type Master func(cluster string, deployment int64) (Endpoints, bool)
