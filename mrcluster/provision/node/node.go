// Package node runs on one node of a pool what its MR-cluster needs there: JobTracker and TaskTracker, and the daemons of the
// MR-cluster's own HDFS, each as a child process. Everything lies in one directory; nothing survives the deployment to which it
// belongs, and no process survives the one that started it, also when that is killed.
package node

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/proctree"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/provision/hdfs"
)

// Services are what an agent runs on its node. Methods may be called concurrently.
type Services interface {
	// Apply says what is to run from now on. It does not wait until that is so, and saying the same again changes nothing. What
	// belongs to another deployment is ended, and its directories are removed.
	Apply(d mrcluster.Desired)
	// Runs tells what runs or is left on disk, by deployment.
	Runs() []mrcluster.Running
	// Endpoints tells where the servers of the present deployment are found.
	Endpoints() Endpoints
	// Stop ends all processes and returns when they have gone. What a deployment keeps on disk stays: it may be the only copy, and
	// the next Node on the directory goes on with it, or removes it when its first Apply says so.
	Stop()
}

// Endpoints are addresses of servers on one node. A server that is not ready has none.
type Endpoints struct {
	Cluster    string `json:"cluster"`
	Deployment int64  `json:"deployment"`

	JobTracker     string `json:"jobTracker,omitempty"` // host:port of its RPC
	JobTrackerHTTP string `json:"jobTrackerHTTP,omitempty"`
	NameNode       string `json:"nameNode,omitempty"` // URI of the file system, hdfs://host:port
	NameNodeHTTP   string `json:"nameNodeHTTP,omitempty"`
	TaskTracker    string `json:"taskTracker,omitempty"` // host:port of its HTTP server
	DataNode       string `json:"dataNode,omitempty"`    // host:port at which it transfers blocks
	// ExcludeFile is the NameNode's dfs.hosts.exclude, on the disk of its own node.
	ExcludeFile string `json:"excludeFile,omitempty"`
}

// Config is what a Node needs to know.
type Config struct {
	Dir     string // belongs to this Node alone
	Name    string // of the node in the pool: TaskTrackers and DataNodes call their host by it, so that splits find it
	Host    string // address at which servers listen and others find them; "" = 127.0.0.1
	Program string // howdah of those deployments that name no other
	// Conf is the agent's configuration. What somebody has set there holds for daemons of all deployments; nil = nothing.
	Conf *conf.Config
	// Master asks the agent at Desired.MasterAddr for its Endpoints.
	Master func(ctx context.Context, d mrcluster.Desired) (Endpoints, error)
	// Forget removes a directory of a deployment from storage that outlives it, by its URI; nil = it stays there.
	Forget func(ctx context.Context, dir string) error
	Log    *slog.Logger // nil = slog.Default()
}

// Node implements Services.
type Node struct {
	cfg     Config
	hdfs    hdfs.Config
	spawner *proctree.Spawner
	unlock  func()

	mu          sync.Mutex
	deployments []*deployment // by directory; few
	present     *deployment   // the one that shall run, nil = none
	stopped     bool
	stopping    chan struct{}  // closed by Stop
	running     sync.WaitGroup // goroutines of deployments
}

// New takes the directory, which nobody else may use, and ends what a Node that was killed has left running. What that has left on
// disk is told by Runs.
func New(cfg Config) (*Node, error) {
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	if cfg.Conf == nil {
		cfg.Conf = conf.New()
	}
	cfg.Host = cmp.Or(cfg.Host, "127.0.0.1")
	storage, err := hdfs.FromConf(cfg.Conf)
	if err != nil {
		return nil, err
	}
	dir, unlock, err := takeDir(cfg.Dir)
	if err != nil {
		return nil, err
	}
	cfg.Dir = dir
	proctree.KillMarked(mark(dir))
	n := &Node{cfg: cfg, hdfs: storage, unlock: unlock, stopping: make(chan struct{}), spawner: proctree.NewSpawner(proctree.Group)}
	for _, id := range leftovers(dir) {
		n.deployments = append(n.deployments, newDeployment(n, id))
	}
	return n, nil
}

// Apply implements Services.
func (n *Node) Apply(d mrcluster.Desired) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.stopped {
		return
	}
	n.present = nil
	others := false
	for _, x := range n.deployments {
		if d.Cluster != "" && x.id == (identity{d.Cluster, d.Deployment}) {
			n.present = x
		} else {
			others = true
			x.remove()
		}
	}
	// One deployment after the other: the former one still holds memory and ports.
	if d.Cluster == "" || d.Spec == nil || others && n.present == nil {
		return
	}
	if n.present == nil {
		n.present = newDeployment(n, identity{d.Cluster, d.Deployment})
		n.deployments = append(n.deployments, n.present)
	}
	n.present.apply(d)
}

// Runs implements Services.
func (n *Node) Runs() []mrcluster.Running {
	n.mu.Lock()
	defer n.mu.Unlock()
	var out []mrcluster.Running
	for _, x := range n.deployments {
		out = append(out, x.state())
	}
	slices.SortFunc(out, func(a, b mrcluster.Running) int {
		return cmp.Or(strings.Compare(a.Cluster, b.Cluster), cmp.Compare(a.Deployment, b.Deployment))
	})
	return out
}

// Endpoints implements Services.
func (n *Node) Endpoints() Endpoints {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.present == nil {
		return Endpoints{}
	}
	return n.present.endpoints()
}

// Stop implements Services.
func (n *Node) Stop() {
	n.mu.Lock()
	if !n.stopped {
		n.stopped = true
		close(n.stopping)
	}
	for _, x := range n.deployments {
		x.stop()
	}
	n.mu.Unlock()
	n.running.Wait()
	n.spawner.Close()
	proctree.KillMarked(mark(n.cfg.Dir))
	n.unlock()
}

// forget drops a deployment of which nothing is left.
func (n *Node) forget(x *deployment) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.deployments = slices.DeleteFunc(n.deployments, func(y *deployment) bool { return y == x })
	if n.present == x {
		n.present = nil
	}
}
