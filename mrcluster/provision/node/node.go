// Package node runs an MR-cluster's daemons on one node of a pool. These can be the JobTracker, the
// TaskTracker, and the daemons of the MR-cluster's own HDFS. Each daemon is a child process, and
// all files on the node are in one directory. The package removes a deployment's files along with
// the deployment. On Linux, the daemons exit when the agent does, even if the agent is killed. The
// next Node that uses the directory kills any remaining descendants. Start with Services, which a
// Node implements.
package node

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/internal/proctree"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/provision/hdfs"
)

// Services runs the daemons of an agent's node. Implementations must be safe for concurrent use.
type Services interface {
	// Apply sets the deployment that should run. It is idempotent and does not wait for the change.
	// It ends the daemons of any other deployment and removes its directories. The caller must
	// repeat the call, because a new deployment starts only after the old one is gone.
	Apply(d mrcluster.Desired)
	// Runs returns the deployments that are running or have files on disk.
	Runs() []mrcluster.Running
	// Endpoints returns the addresses of the current deployment's servers.
	Endpoints() Endpoints
	// Stop ends all processes and waits for them. It keeps the deployment's files because they
	// might be the only copy of its data. The next Node on the directory uses them, or removes them
	// if its first Apply names a different deployment.
	Stop()
}

// Endpoints holds the addresses of the servers on one node. The address of a server that is not
// ready is empty.
type Endpoints struct {
	Cluster    string `json:"cluster"`
	Deployment int64  `json:"deployment"`

	JobTracker     string `json:"jobTracker,omitempty"` // host:port of its RPC server
	JobTrackerHTTP string `json:"jobTrackerHTTP,omitempty"`
	NameNode       string `json:"nameNode,omitempty"` // URI of the file system, hdfs://host:port
	NameNodeHTTP   string `json:"nameNodeHTTP,omitempty"`
	TaskTracker    string `json:"taskTracker,omitempty"` // host:port of its HTTP server
	DataNode       string `json:"dataNode,omitempty"`    // host:port for block transfer
	// ExcludeFile is the path of the NameNode's dfs.hosts.exclude file on the NameNode's node.
	ExcludeFile string `json:"excludeFile,omitempty"`
}

// Config is the configuration of a Node.
type Config struct {
	Dir     string // directory of this Node; not shared with others
	Name    string // name of the node in the pool; TaskTrackers and DataNodes use it as their host name, for data locality
	Host    string // address at which servers listen and clients reach them; "" = 127.0.0.1
	Program string // path of the howdah program for deployments that do not name another
	// Own maps the commands jobtracker and tasktracker to the paths of programs that replace Program for
	// the command; "" means Program.
	Own map[string]string
	// Programs lists the programs, and the directories of programs, that other users' requests may
	// name (KeyPrograms).
	Programs []string
	// Conf is the agent's configuration. Daemons inherit its explicit settings, except those that
	// are only for managers and agents. nil means no settings.
	Conf *conf.Config
	// TLS verifies the deployments' daemons; nil means that they do not use TLS.
	TLS *certs.TLS
	// Master returns the Endpoints of the master of d.
	Master func(ctx context.Context, d mrcluster.Desired) (Endpoints, error)
	// Forget removes a deployment's directory, given as a path or URI, from storage that outlives
	// the deployment. If Forget is nil, the directory stays.
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
	deployments []*deployment // those that run or have files on disk
	present     *deployment   // the desired deployment; nil = none
	stopped     bool
	stopping    chan struct{}  // closed by Stop
	running     sync.WaitGroup // goroutines of deployments
}

// New locks the directory and ends the processes that a killed Node left behind. Runs also lists
// the deployments whose files an earlier Node left on disk.
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
	n := &Node{cfg: cfg, hdfs: storage, unlock: unlock, stopping: make(chan struct{}),
		spawner: proctree.NewSpawner(proctree.Group)}
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
	// Start the new deployment only after the old one has ended, because until then the old one
	// uses memory and ports.
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

// forget drops a deployment that has been removed completely.
func (n *Node) forget(x *deployment) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.deployments = slices.DeleteFunc(n.deployments, func(y *deployment) bool { return y == x })
	if n.present == x {
		n.present = nil
	}
}
