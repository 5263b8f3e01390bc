// Package testpool is a harness for tests with a real pool of MR-clusters. It starts howdah
// mrcluster manager with its nodes, runs commands against the pool, and kills its processes. It
// checks that no process or file is left behind.
package testpool

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/integration/leftovers"
	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/internal/daemonrun"
)

// Options configures a pool. The zero value is a pool without nodes.
type Options struct {
	Nodes int
	Set   []string // "key=value", for the manager, its agents, and their daemons
}

// Pool is a running pool.
type Pool struct {
	t    testing.TB
	log  *os.File
	mu   sync.Mutex // guards runs, Manager, Web, and Gossip
	runs *daemonrun.Manager

	Dir     string // directory of the pool
	Conf    string // configuration directory for commands
	Manager string // host:port
	Web     string // http://host:port
	Gossip  string // host:port
}

const (
	stopTimeout    = 90 * time.Second
	commandTimeout = 8 * time.Minute
)

// quick contains settings that make a pool reach its decisions within seconds.
var quick = []string{
	"howdah.mrcluster.heartbeat.ms=200", "howdah.mrcluster.interval.ms=2000", "howdah.mrcluster.idle.ms=6000",
	"howdah.mrcluster.threshold=0.01",
	"howdah.mrcluster.retry.ms=1000", "howdah.mrcluster.manager.address=127.0.0.1:0",
	"howdah.mrcluster.manager.http.address=127.0.0.1:0",
	"howdah.jobtracker.heartbeat.interval.min=100", "mapreduce.jobtracker.heartbeats.in.second=100",
}

// Start starts a pool and waits until its manager is ready. When the test ends, a cleanup stops the
// pool and checks for leftovers.
func Start(t testing.TB, o Options) *Pool {
	t.Helper()
	leftovers.Check(t)
	p := &Pool{t: t, Dir: filepath.Join(t.TempDir(), "pool")}
	p.Conf = filepath.Join(p.Dir, "conf")
	require.NoError(t, os.MkdirAll(p.Dir, 0o755))
	var err error
	p.log, err = os.OpenFile(filepath.Join(p.Dir, "manager.log"), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o644)
	require.NoError(t, err)
	set := append(slices.Clone(quick), "hadoop.tmp.dir="+filepath.Join(p.Dir, "tmp"),
		"howdah.mrcluster.manager.dir="+p.managerDir(),
		"howdah.mrcluster.nodes="+strconv.Itoa(o.Nodes))
	p.writeConf(append(set, o.Set...))
	p.StartManager()
	t.Cleanup(p.cleanUp)
	return p
}

func (p *Pool) managerDir() string { return filepath.Join(p.Dir, "manager") }

func (p *Pool) writeConf(set []string) {
	var site []conf.Property
	for _, s := range set {
		key, value, _ := strings.Cut(s, "=")
		site = append(site, conf.Property{Name: key, Value: value})
	}
	require.NoError(p.t, daemonrun.WriteSite(p.Conf, site))
}

// StartManager starts the manager, or restarts it after it was killed. It fails the test if the
// manager does not become ready.
func (p *Pool) StartManager() {
	p.t.Helper()
	m, err := daemonrun.StartManager(context.Background(), daemonrun.Command{Program: minicluster.Binary(p.t),
		Args: []string{"--config", p.Conf}, Log: p.log})
	if err != nil {
		p.t.Fatalf("%v: %s", err, p.Log())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.runs, p.Manager, p.Web, p.Gossip = m, m.Address, m.Web, m.Gossip
}

func (p *Pool) running() *daemonrun.Manager {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.runs
}

// KillManager kills the manager. The nodes keep running.
func (p *Pool) KillManager() { p.running().Kill() }

// Stop interrupts the manager like Ctrl-C and waits until it has exited.
func (p *Pool) Stop() {
	p.t.Helper()
	if !p.running().Stop(stopTimeout) {
		p.t.Error("the manager did not end by itself")
	}
}

// Log returns the manager's log.
func (p *Pool) Log() string {
	b, _ := os.ReadFile(p.log.Name())
	return string(b)
}

// Howdah runs a howdah command against the pool and waits until it exits. It kills the command after
// commandTimeout.
func (p *Pool) Howdah(args ...string) minicluster.Result {
	p.t.Helper()
	p.mu.Lock()
	manager := p.Manager
	p.mu.Unlock()
	cmd := exec.Command(minicluster.Binary(p.t),
		append([]string{"--config", p.Conf, "-D", "howdah.mrcluster.manager.address=" + manager}, args...)...)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	require.NoError(p.t, cmd.Start())
	kill := time.AfterFunc(commandTimeout, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	_ = cmd.Wait()
	return minicluster.Result{Code: cmd.ProcessState.ExitCode(), Out: out.String(), Err: errOut.String()}
}

// Must runs a howdah command and returns its output. If the command fails, Must fails the test.
func (p *Pool) Must(args ...string) string {
	p.t.Helper()
	r := p.Howdah(args...)
	require.Zero(p.t, r.Code, "howdah %v: %s", args, r.Err)
	return r.Out
}

// Cluster is an MR-cluster in the output of howdah mrcluster status --json.
type Cluster struct {
	Name       string `json:"name"`
	State      string `json:"state"`
	Deployment int64  `json:"deployment"`
	Core       int    `json:"core"`
	Nodes      int    `json:"nodes"`
	Target     int    `json:"target"`
	Leaving    int    `json:"leaving"`
	Master     string `json:"master"`
	JobTracker string `json:"jobtracker"`
	NameNode   string `json:"namenode"`
	// NameNodeWeb is the host:port of the NameNode's web server.
	NameNodeWeb string `json:"namenode_web"`
	LastError   string `json:"last_error"`
}

// Node is a node in the output of howdah mrcluster status --json.
type Node struct {
	Name    string `json:"name"`
	State   string `json:"state"`
	Cluster string `json:"cluster"`
	Kind    string `json:"kind"`
	Master  bool   `json:"master"`
	Stored  int64  `json:"stored_bytes"`
	Left    int64  `json:"left_bytes"`
	Problem string `json:"problem"`
}

// Status is the state of the pool.
type Status struct {
	Clusters []Cluster `json:"clusters"`
	Nodes    []Node    `json:"nodes"`
	Queue    []string  `json:"queue"`
}

// Status returns the state of the pool. ok reports whether the manager responded.
func (p *Pool) Status() (s Status, ok bool) {
	r := p.Howdah("mrcluster", "status", "--json")
	return s, r.Code == 0 && json.Unmarshal([]byte(r.Out), &s) == nil
}

// Cluster returns the named MR-cluster. It returns a Cluster without a name if no such MR-cluster
// exists or the manager does not respond.
func (p *Pool) Cluster(name string) Cluster {
	s, _ := p.Status()
	for _, c := range s.Clusters {
		if c.Name == name {
			return c
		}
	}
	return Cluster{}
}

// Free returns the number of free nodes.
func (p *Pool) Free() (n int) {
	s, _ := p.Status()
	for _, x := range s.Nodes {
		if x.State == "FREE" {
			n++
		}
	}
	return n
}

// Settled reports whether the manager responds and every node that is in an MR-cluster is up and
// has no problem.
func (p *Pool) Settled() bool {
	s, ok := p.Status()
	for _, n := range s.Nodes {
		ok = ok && (n.Cluster == "" || n.State == "UP" && n.Problem == "")
	}
	return ok
}

// Eventually waits until a condition is true. It fails the test after 3 minutes.
func (p *Pool) Eventually(what string, ok func() bool) {
	p.t.Helper()
	minicluster.Eventually(p.t, 3*time.Minute, what, func() bool {
		if ok() {
			return true
		}
		time.Sleep(100 * time.Millisecond)
		return false
	})
}

// NodeDir returns the directory of a node.
func (p *Pool) NodeDir(node string) string { return filepath.Join(p.managerDir(), "nodes", node) }

// cleanUp stops the processes that are still running after the test. It fails the test if any
// processes or files are left.
func (p *Pool) cleanUp() {
	select {
	case <-p.running().Done():
		if len(p.Processes()) > 0 { // the manager may have been killed, so start a new one to stop the nodes
			p.StartManager()
			p.discardAll()
			p.Stop()
		}
	default:
		p.discardAll()
		p.Stop()
	}
	for end := time.Now().Add(20 * time.Second); len(p.Processes()) > 0 && time.Now().Before(end); {
		time.Sleep(50 * time.Millisecond)
	}
	for _, x := range p.Processes() {
		p.t.Errorf("left behind: %d %s", x.PID, x.Args)
		_ = syscall.Kill(x.PID, syscall.SIGKILL)
	}
	left, _ := filepath.Glob(filepath.Join(p.managerDir(), "nodes", "*"))
	for _, dir := range left {
		p.t.Errorf("left behind: %s", dir)
	}
	if p.t.Failed() {
		p.tell()
	}
	p.log.Close()
}

// discardAll removes the remaining MR-clusters and their data, because a manager that stops keeps
// the nodes that contain data.
func (p *Pool) discardAll() {
	s, _ := p.Status()
	for _, c := range s.Clusters {
		p.Howdah("mrcluster", "remove", "--discard", c.Name)
	}
}

// tell logs the last part of each daemon's log, to help find the cause of a failure.
func (p *Pool) tell() {
	tail := func(file string, n int) {
		b, _ := os.ReadFile(file)
		p.t.Logf("%s: ...%s", file, b[max(0, len(b)-n):])
	}
	tail(p.log.Name(), 12_000)
	for _, pattern := range []string{"manager/nodes/*/agent.log", "manager/nodes/*/agent/deployments/*/logs/*.log"} {
		files, _ := filepath.Glob(filepath.Join(p.Dir, pattern))
		for _, f := range files {
			tail(f, 2000)
		}
	}
}

// Agent starts an agent in addition to those that the manager starts. The agent stops when the test
// ends. log returns the agent's log so far.
func (p *Pool) Agent(name string, args ...string) (log func() string) {
	p.t.Helper()
	file := filepath.Join(p.Dir, name+".log")
	out, err := os.Create(file)
	require.NoError(p.t, err)
	defer out.Close()
	cmd := exec.Command(minicluster.Binary(p.t),
		append([]string{"mrcluster", "agent", "--config", p.Conf, "--join", p.Gossip,
			"-D", "howdah.mrcluster.agent.name=" + name,
			"-D", "howdah.mrcluster.manager.address="}, args...)...)
	cmd.Stdout, cmd.Stderr = out, out
	require.NoError(p.t, cmd.Start())
	p.t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		kill := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
		defer kill.Stop()
		_ = cmd.Wait()
	})
	return func() string {
		b, _ := os.ReadFile(file)
		return string(b)
	}
}
