package lab

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/poolrun"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/job/failure"
)

// PoolOptions say what pool of MR-clusters an experiment wants.
type PoolOptions struct {
	Nodes int
	Set   []string // "key=value" for the manager, its nodes and what they run
}

// Pool is a manager of MR-clusters with its nodes, all of them processes of this machine.
type Pool struct {
	Dir     string // of everything; it goes with the pool
	binary  string
	manager *poolrun.Manager
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
	p := &Pool{Dir: dir, binary: r.Binary}
	if err := p.start(ctx, o); err != nil {
		err = failure.New(failure.KindOf(err), "start pool", dir, errors.Join(err, errors.New(p.tail())))
		p.Stop()
		return nil, err
	}
	r.Executions++
	return p, nil
}

func (p *Pool) start(ctx context.Context, o PoolOptions) (err error) {
	site := []conf.Property{
		{Name: "hadoop.tmp.dir", Value: filepath.Join(p.Dir, "tmp")},
		{Name: "howdah.mrcluster.manager.dir", Value: filepath.Join(p.Dir, "manager")},
		{Name: "howdah.mrcluster.manager.address", Value: "127.0.0.1:0"},
		{Name: "howdah.mrcluster.manager.http.address", Value: "127.0.0.1:0"},
		{Name: "howdah.mrcluster.nodes", Value: strconv.Itoa(o.Nodes)},
	}
	for _, s := range o.Set {
		key, value, _ := strings.Cut(s, "=")
		site = append(site, conf.Property{Name: key, Value: value})
	}
	if err := poolrun.WriteSite(p.conf(), site); err != nil {
		return err
	}
	if p.log, err = os.Create(filepath.Join(p.Dir, "manager.log")); err != nil {
		return err
	}
	if p.manager, err = poolrun.Start(ctx, poolrun.Command{Program: p.binary, Conf: p.conf(), Env: environment(), Log: p.log}); err != nil {
		return err
	}
	p.conn, err = rpc.Dial(p.manager.Address, rpc.Options{})
	return err
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

func (p *Pool) tail() string {
	b, _ := os.ReadFile(filepath.Join(p.Dir, "manager.log"))
	return string(b[max(0, len(b)-2000):])
}

// Stop gives up all MR-clusters, ends the pool and removes its files.
func (p *Pool) Stop() {
	if p.conn != nil {
		p.discard()
		p.conn.Close()
	}
	if p.manager != nil {
		p.manager.Stop(poolStop)
	}
	if p.log != nil {
		p.log.Close()
	}
	os.RemoveAll(p.Dir)
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
	return runHowdah(ctx, p.binary, environment(), append(at, args...))
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
