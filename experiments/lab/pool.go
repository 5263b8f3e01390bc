package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/daemonrun"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/client"
	"github.com/howdah/howdah/mrcluster/journal"
	"github.com/howdah/howdah/mrcluster/provision"
	"github.com/howdah/howdah/mrcluster/provision/docker"
	"github.com/howdah/howdah/mrcluster/provision/netns"
	"github.com/howdah/howdah/mrcluster/provision/process"
	"github.com/howdah/howdah/mrcluster/status"
)

// PoolOptions describes an experiment's pool of MR-clusters.
type PoolOptions struct {
	Nodes   int
	Manager string // program whose mrcluster manager command starts the manager; "" = howdah
	// JobTracker and TaskTracker are programs whose commands of that name start the MR-clusters' daemons;
	// "" = howdah.
	JobTracker, TaskTracker string

	Set   []string          // "key=value" for the manager, its nodes, and their daemons
	Files map[string]string // content by name; Set refers to the directory of these files as @DIR@
	// Namespaces makes each node a network namespace with the given link and CPU limit, which
	// requires Linux and root. Nil makes each node a process without limits.
	Namespaces *netns.Config
	// Containers makes each node a container of the local Docker. Nil and Namespaces nil make each node
	// a process.
	Containers *Containers
}

// Containers describes the containers that are the nodes of a pool.
type Containers struct {
	Image  string   // with the same howdah as Run.Binary in its PATH, and a shell
	Cores  float64  // CPU time of a container; 0 = no limit
	Mounts []string // directories of this machine that the containers share, in addition to the pool's
}

// options returns the options of docker create. The daemons need the rights that docker/compose.yaml
// also has, for the tasks' control groups.
func (c *Containers) options(dir string) string {
	words := []string{"--cap-add", "SYS_ADMIN", "--security-opt", "apparmor=unconfined"}
	if c.Cores > 0 {
		words = append(words, "--cpus", fmt.Sprint(c.Cores))
	}
	for _, m := range append([]string{dir}, c.Mounts...) {
		words = append(words, "-v", m+":"+m)
	}
	return strings.Join(words, " ")
}

// Pool consists of a manager of MR-clusters and the manager's nodes, all on this machine.
type Pool struct {
	Dir     string // directory of the pool; Stop removes it
	binary  string
	apart   *netns.Config // nil = nodes are not namespaces
	boxes   *Containers   // nil = nodes are not containers
	manager *daemonrun.Manager
	log     *os.File
	client  *client.Client
	disks   []*disk // see AddDisks
}

const (
	poolStop  = 90 * time.Second // maximum time for all daemons to exit
	poolReply = 20 * time.Second // maximum time for the manager to answer a request
)

// StartPool starts a manager with o.Nodes nodes. It waits until the manager is ready, but not for the
// nodes. The pool runs until the caller calls Stop, even if ctx ends.
func (r *Run) StartPool(ctx context.Context, o PoolOptions) (*Pool, error) {
	if r.Binary == "" {
		return nil, noBinary("start pool")
	}
	dir, err := os.MkdirTemp("", "howdah-experiment-")
	if err != nil {
		return nil, failure.New(failure.IO, "start pool", "", err)
	}
	p := &Pool{Dir: dir, binary: r.Binary, apart: o.Namespaces, boxes: o.Containers}
	if err := p.start(ctx, o); err != nil {
		err = failure.New(failure.KindOf(err), "start pool", dir, errors.Join(err, errors.New(tail(p.logFile()))))
		p.Stop()
		return nil, err
	}
	r.Executions++
	return p, nil
}

func (p *Pool) start(ctx context.Context, o PoolOptions) (err error) {
	if err := writeFiles(p.Dir, o.Files); err != nil {
		return err
	}
	site := []conf.Property{
		{Name: "hadoop.tmp.dir", Value: filepath.Join(p.Dir, "tmp")},
		{Name: "howdah.mrcluster.manager.dir", Value: p.managerDir()},
		{Name: "howdah.mrcluster.nodes", Value: strconv.Itoa(o.Nodes)},
	}
	site = append(site, p.network()...)
	if p.apart != nil || p.boxes != nil { // these nodes connect to addresses other than loopback
		secret, err := auth.Load(conf.New())
		if err != nil {
			return err
		}
		site = append(site, conf.Property{Name: conf.SecuritySecretFile.Name, Value: secret.File()},
			conf.Property{Name: conf.TaskTrackerRunAs.Name, Value: "tracker"}) // root owns the jobs and the nodes
	}
	if o.JobTracker != "" {
		site = append(site, conf.Property{Name: conf.MRClusterJobTracker.Name, Value: o.JobTracker})
	}
	if o.TaskTracker != "" {
		site = append(site, conf.Property{Name: conf.MRClusterTaskTracker.Name, Value: o.TaskTracker})
	}
	for _, s := range o.Set {
		key, value, _ := strings.Cut(strings.ReplaceAll(s, inDir, p.Dir), "=")
		site = append(site, conf.Property{Name: key, Value: value})
	}
	if err := daemonrun.WriteSite(p.conf(), site); err != nil {
		return err
	}
	if p.log, err = os.Create(p.logFile()); err != nil {
		return err
	}
	if p.manager, err = daemonrun.StartManager(ctx, daemonrun.Command{Program: cmp.Or(o.Manager, p.binary), OwnGroup: true,
		Args: []string{"--config", p.conf()}, Log: p.log}); err != nil {
		return err
	}
	c := conf.New()
	c.Set(client.KeyManager, p.manager.Address, "the manager that was started")
	p.client, err = client.Dial(c)
	return err
}

func (p *Pool) managerDir() string { return filepath.Join(p.Dir, "manager") }

// network returns the settings that depend on the kind of nodes. The back ends for namespaces and
// containers choose the manager's address, because their nodes must be able to reach it. Containers
// share only the pool's directory and their mounts.
func (p *Pool) network() []conf.Property {
	switch {
	case p.apart != nil:
		return []conf.Property{{Name: conf.MRClusterBackend.Name, Value: "netns"},
			{Name: conf.MRClusterNetNSRateMbit.Name, Value: fmt.Sprint(p.apart.Mbit)},
			{Name: conf.MRClusterNetNSCores.Name, Value: fmt.Sprint(p.apart.Cores)}}
	case p.boxes != nil:
		return []conf.Property{{Name: conf.MRClusterBackend.Name, Value: "docker"},
			{Name: conf.MRClusterDockerImage.Name, Value: p.boxes.Image},
			{Name: conf.MRClusterDockerOptions.Name, Value: p.boxes.options(p.Dir)},
			{Name: conf.JobTrackerSystemDir.Name, Value: "file:" + filepath.Join(p.Dir, "shared", "system")},
			{Name: conf.JobTrackerStagingRootDir.Name, Value: "file:" + filepath.Join(p.Dir, "shared", "staging")}}
	}
	return []conf.Property{{Name: conf.MRClusterManagerAddress.Name, Value: "127.0.0.1:0"},
		{Name: conf.MRClusterManagerHTTPAddress.Name, Value: "127.0.0.1:0"}}
}

// SetCores sets each node's CPU limit, in cores; 0 = no limit. The nodes must be namespaces or
// containers.
func (p *Pool) SetCores(ctx context.Context, cores float64) error {
	s, err := p.Status(ctx)
	if err != nil {
		return err
	}
	for _, n := range s.Nodes {
		err = errors.Join(err, p.SetNodeCores(ctx, n.Name, cores))
	}
	return err
}

// SetNodeCores sets the CPU limit of the node with the given name. See SetCores.
func (p *Pool) SetNodeCores(ctx context.Context, node string, cores float64) error {
	if p.boxes == nil {
		return netns.SetCores(p.apart.Mount, p.managerDir(), node, cores)
	}
	b, err := p.docker()
	if err != nil {
		return err
	}
	return b.SetCores(ctx, node, cores)
}

// docker opens the back end of the pool's containers.
func (p *Pool) docker() (*docker.Backend, error) {
	return docker.New(provision.Options{Dir: p.managerDir()}, docker.Config{Docker: "docker"})
}

// nodeDir returns the directory of the node with the given number, from 1.
func (p *Pool) nodeDir(n int) string { return filepath.Join(p.managerDir(), "nodes", NodeName(n)) }

// NodeName returns the name of the node with the given number, from 1.
func NodeName(n int) string { return fmt.Sprintf("node-%d", n) }

// FailNode ends everything on the node with the given number, from 1, until ReturnNode. With
// gracefully, the node's TaskTracker leaves its cluster first. The manager expects the node's reports,
// as if the node's machine had failed.
func (p *Pool) FailNode(ctx context.Context, n int, gracefully bool) error {
	return process.Fail(ctx, p.nodeDir(n), gracefully)
}

// ReturnNode lets a node return after FailNode.
func (p *Pool) ReturnNode(n int) error { return process.Return(p.nodeDir(n)) }

// Deploy requests the deployment of an MR-cluster even if no job needs it. Deploy does not wait for
// the deployment.
func (p *Pool) Deploy(ctx context.Context, cluster string) error {
	ctx, cancel := context.WithTimeout(ctx, poolReply)
	defer cancel()
	_, err := p.client.Deploy(ctx, cluster)
	return err
}

// Facts reads the manager's decisions and observations so far from the manager's journal.
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

// KeepLogs copies the manager's journal and all logs that still exist to dir, which it creates if
// necessary.
func (p *Pool) KeepLogs(dir string) error {
	for _, pattern := range []string{"manager.log", "manager/journal-*", "manager/nodes/*/agent.log",
		"manager/nodes/*/agent/deployments/*/logs/*.log"} {
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
		return nil // the daemon that owned the file has just exited
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

// Stop removes all MR-clusters, stops the pool, and removes its files.
func (p *Pool) Stop() {
	if p.client != nil {
		p.discard()
		p.client.Close()
	}
	if p.manager != nil {
		nodes, _ := filepath.Glob(filepath.Join(p.managerDir(), "nodes", "*"))
		for _, dir := range nodes {
			_ = process.Resume(dir) // an agent that FailNode suspended could not stop
		}
		p.manager.Stop(poolStop)
	}
	if p.apart != nil {
		p.sweep(netns.New(provision.Options{Dir: p.managerDir()}, *p.apart))
		p.removeDisks()
	}
	if p.boxes != nil {
		p.sweep(p.docker())
	}
	if p.log != nil {
		p.log.Close()
	}
	os.RemoveAll(p.Dir)
}

// sweep removes the namespaces or containers that the stopped manager left behind. When a manager
// stops, it keeps nodes whose MR-clusters hold data. err is that of opening the back end.
func (p *Pool) sweep(b provision.Backend, err error) {
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), poolStop)
	defer cancel()
	_ = provision.StopAll(ctx, b)
}

// discard removes all MR-clusters. A stopping manager does not release nodes that an MR-cluster still
// needs.
func (p *Pool) discard() {
	ctx, cancel := context.WithTimeout(context.Background(), poolReply)
	defer cancel()
	s, err := p.Status(ctx)
	if err != nil {
		return
	}
	for _, c := range s.Clusters {
		_ = p.client.Remove(ctx, c.Spec.Name, true)
	}
}

// Status returns the manager's status of the pool.
func (p *Pool) Status(ctx context.Context) (*status.Pool, error) {
	ctx, cancel := context.WithTimeout(ctx, poolReply)
	defer cancel()
	return p.client.Status(ctx, "")
}

// Howdah runs a howdah command against the pool and returns its standard output.
func (p *Pool) Howdah(ctx context.Context, args ...string) ([]byte, error) {
	at := []string{"--config", p.conf(), "-D", "howdah.mrcluster.manager.address=" + p.manager.Address}
	return runHowdah(ctx, p.binary, daemonrun.Environ(), append(at, args...))
}

// RunJob runs an application on an MR-cluster (howdah run --mrcluster CLUSTER ARGS...). It returns
// the command's report of the last job. The report does not contain attempts.
func (p *Pool) RunJob(ctx context.Context, cluster string, args ...string) (*Job, error) {
	all, err := p.RunJobs(ctx, cluster, args...)
	return lastJob(all), err
}

// RunJobs is like RunJob, but returns the reports of all jobs, in the order in which they ended.
func (p *Pool) RunJobs(ctx context.Context, cluster string, args ...string) ([]*Job, error) {
	out, err := p.Howdah(ctx, append([]string{"run", "-q", "--json", "--mrcluster", cluster}, args...)...)
	if err != nil {
		return nil, err
	}
	return allJobs(args[0], out)
}
