package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/daemonrun"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/journal"
	"github.com/howdah/howdah/mrcluster/provision"
	"github.com/howdah/howdah/mrcluster/provision/netns"
)

// PoolOptions say what pool of MR-clusters an experiment wants.
type PoolOptions struct {
	Nodes int
	Set   []string // "key=value" for the manager, its nodes and what they run
	// Namespaces lets every node be a network namespace (Linux, root) with such a link and such a share of the CPU; nil = processes.
	Namespaces *netns.Config
}

// Pool is a manager of MR-clusters with its nodes, all of them processes of this machine.
type Pool struct {
	Dir     string // of everything; it goes with the pool
	binary  string
	apart   *netns.Config
	manager *daemonrun.Manager
	log     *os.File
	conn    *grpc.ClientConn
}

const (
	poolStop  = 90 * time.Second // for all daemons to end
	poolReply = 20 * time.Second
)

// StartPool starts a manager with its nodes. Stop ends them.
func (r *Run) StartPool(ctx context.Context, o PoolOptions) (*Pool, error) {
	if r.Binary == "" {
		return nil, noBinary("start pool")
	}
	dir, err := os.MkdirTemp("", "howdah-experiment-")
	if err != nil {
		return nil, failure.New(failure.IO, "start pool", "", err)
	}
	p := &Pool{Dir: dir, binary: r.Binary, apart: o.Namespaces}
	if err := p.start(ctx, o); err != nil {
		err = failure.New(failure.KindOf(err), "start pool", dir, errors.Join(err, errors.New(tail(p.logFile()))))
		p.Stop()
		return nil, err
	}
	r.Executions++
	return p, nil
}

func (p *Pool) start(ctx context.Context, o PoolOptions) (err error) {
	site := []conf.Property{
		{Name: "hadoop.tmp.dir", Value: filepath.Join(p.Dir, "tmp")},
		{Name: "howdah.mrcluster.manager.dir", Value: p.managerDir()},
		{Name: "howdah.mrcluster.nodes", Value: strconv.Itoa(o.Nodes)},
	}
	site = append(site, p.network()...)
	for _, s := range o.Set {
		key, value, _ := strings.Cut(s, "=")
		site = append(site, conf.Property{Name: key, Value: value})
	}
	if err := daemonrun.WriteSite(p.conf(), site); err != nil {
		return err
	}
	if p.log, err = os.Create(p.logFile()); err != nil {
		return err
	}
	if p.manager, err = daemonrun.StartManager(ctx, daemonrun.Command{Program: p.binary, OwnGroup: true, Args: []string{"--config", p.conf()}, Log: p.log}); err != nil {
		return err
	}
	p.conn, err = rpc.Dial(p.manager.Address, rpc.Options{})
	return err
}

func (p *Pool) managerDir() string { return filepath.Join(p.Dir, "manager") }

// network says where nodes live, and the manager's addresses. In namespaces of their own they reach it at the address that its back end
// has for them, which is nobody else's.
func (p *Pool) network() []conf.Property {
	if p.apart == nil {
		return []conf.Property{{Name: "howdah.mrcluster.manager.address", Value: "127.0.0.1:0"}, {Name: "howdah.mrcluster.manager.http.address", Value: "127.0.0.1:0"}}
	}
	return []conf.Property{{Name: "howdah.mrcluster.backend", Value: "netns"}, {Name: "howdah.mrcluster.netns.rate.mbit", Value: fmt.Sprint(p.apart.Mbit)},
		{Name: "howdah.mrcluster.netns.cores", Value: fmt.Sprint(p.apart.Cores)}}
}

// SetCores gives all nodes that have come, namespaces, another share of the CPU than they began with; 0 = all that there is.
func (p *Pool) SetCores(ctx context.Context, cores float64) error {
	s, err := p.Status(ctx)
	if err != nil {
		return err
	}
	for _, n := range s.Node {
		err = errors.Join(err, netns.SetCores(p.apart.Mount, p.managerDir(), n.Name, cores))
	}
	return err
}

// Deploy deploys an MR-cluster, without a job. It does not wait until it is there.
func (p *Pool) Deploy(ctx context.Context, cluster string) error {
	ctx, cancel := context.WithTimeout(ctx, poolReply)
	defer cancel()
	_, err := pool.NewPoolClient(p.conn).Job(ctx, &pool.JobRequest{Cluster: cluster})
	return err
}

// Facts gives what the manager has decided and learnt so far.
func (p *Pool) Facts() (out []mrcluster.Fact, err error) {
	files, _ := filepath.Glob(filepath.Join(p.managerDir(), "journal-*.facts"))
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return nil, failure.New(failure.KindOf(err), "read journal", name, err)
		}
		_, err = journal.Replay(f, func(x *mrcluster.Fact) error { out = append(out, *x); return nil })
		f.Close()
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// KeepLogs copies the manager's journal and the logs of all that runs now into a directory, which it makes: to understand what went wrong.
func (p *Pool) KeepLogs(dir string) error {
	for _, pattern := range []string{"manager.log", "manager/journal-*", "manager/nodes/*/agent.log", "manager/nodes/*/agent/deployments/*/logs/*.log"} {
		files, _ := filepath.Glob(filepath.Join(p.Dir, pattern))
		for _, f := range files {
			if err := keep(dir, strings.TrimPrefix(f, p.Dir), f); err != nil {
				return failure.New(failure.KindOf(err), "keep", f, err)
			}
		}
	}
	return nil
}

func keep(dir, name, file string) error {
	b, err := os.ReadFile(file)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil // its daemon has just ended
	case err != nil:
		return err
	}
	to := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o644)
}

func (p *Pool) conf() string { return filepath.Join(p.Dir, "conf") }

func (p *Pool) logFile() string { return filepath.Join(p.Dir, "manager.log") }

// Stop gives up all MR-clusters, ends the pool and removes its files.
func (p *Pool) Stop() {
	if p.conn != nil {
		p.discard()
		p.conn.Close()
	}
	if p.manager != nil {
		p.manager.Stop(poolStop)
	}
	if p.apart != nil {
		p.sweep()
	}
	if p.log != nil {
		p.log.Close()
	}
	os.RemoveAll(p.Dir)
}

// sweep removes the namespaces that a manager has left: those of MR-clusters that it knew to hold data.
func (p *Pool) sweep() {
	b, err := netns.New(provision.Options{Dir: p.managerDir()}, *p.apart)
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), poolStop)
	defer cancel()
	_ = provision.StopAll(ctx, b)
}

// discard removes all MR-clusters: a manager that ends leaves nodes alone that an MR-cluster still needs.
func (p *Pool) discard() {
	ctx, cancel := context.WithTimeout(context.Background(), poolReply)
	defer cancel()
	s, err := p.Status(ctx)
	if err != nil {
		return
	}
	for _, c := range s.Cluster {
		_, _ = pool.NewPoolClient(p.conn).Remove(ctx, &pool.RemoveRequest{Cluster: c.GetSpec().GetName(), Discard: true})
	}
}

// Status asks the manager how the pool is.
func (p *Pool) Status(ctx context.Context) (*pool.PoolStatus, error) {
	ctx, cancel := context.WithTimeout(ctx, poolReply)
	defer cancel()
	return pool.NewPoolClient(p.conn).Status(ctx, &pool.StatusRequest{})
}

// Howdah runs a howdah command against the pool and gives what it printed.
func (p *Pool) Howdah(ctx context.Context, args ...string) ([]byte, error) {
	at := []string{"--config", p.conf(), "-D", "howdah.mrcluster.manager.address=" + p.manager.Address}
	return runHowdah(ctx, p.binary, daemonrun.Environ(), append(at, args...))
}

// RunJob runs an application on an MR-cluster (howdah run --mrcluster CLUSTER ARGS...) and gives what the command tells of its last job:
// no attempts.
func (p *Pool) RunJob(ctx context.Context, cluster string, args ...string) (*Job, error) {
	out, err := p.Howdah(ctx, append([]string{"run", "-q", "--json", "--mrcluster", cluster}, args...)...)
	if err != nil {
		return nil, err
	}
	return lastJob(args[0], out)
}
