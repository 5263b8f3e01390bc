package apachehadoop

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// Main classes of the daemons.
const (
	nameNodeClass        = "org.apache.hadoop.hdfs.server.namenode.NameNode"
	dataNodeClass        = "org.apache.hadoop.hdfs.server.datanode.DataNode"
	resourceManagerClass = "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager"
	nodeManagerClass     = "org.apache.hadoop.yarn.server.nodemanager.NodeManager"
	historyClass         = "org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer"
)

// startTimeout is how long a daemon may take to become ready. It is long because Java starts slowly
// on a busy machine.
const startTimeout = 5 * time.Minute

// part is one daemon of the cluster, with the state that is needed to restart it.
type part struct {
	name, class string
	conf        string              // its configuration directory
	rpc, web    string              // addresses of its RPC server (of the transfer port for a DataNode) and its web server
	node        *node               // its network namespace; nil = the machine's
	ready       func(p *part) error // returns nil when the part is ready
	cmd         *exec.Cmd           // nil until the first start
	done        chan struct{}       // closed when the process has exited
	logged      int64               // size of the log at the last start, in bytes
}

func (c *Cluster) logFile(name string) string { return filepath.Join(c.dir, "logs", name+".log") }

// start starts a daemon and waits until it is ready.
func (c *Cluster) start(ctx context.Context, p *part) error {
	log, err := os.OpenFile(c.logFile(p.name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return failure.New(failure.KindOf(err), "write log of", p.name, err)
	}
	defer log.Close()
	if i, err := log.Stat(); err == nil {
		p.logged = i.Size()
	}
	// The process outlives ctx, which limits only the time to start.
	cmd := c.java(context.WithoutCancel(ctx), p.conf, 500, p.class)
	p.node.enter(cmd)
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = log, log, childAttributes()
	if err := cmd.Start(); err != nil {
		return failure.New(failure.KindOf(err), "start", p.name, err)
	}
	p.cmd, p.done = cmd, make(chan struct{})
	go func(done chan struct{}) {
		_ = cmd.Wait()
		close(done)
	}(p.done)
	return c.awaitPart(ctx, p)
}

func (c *Cluster) awaitPart(ctx context.Context, p *part) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	var last error
	for {
		if last = p.ready(p); last == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return failure.New(failure.Timeout, "start", p.name,
				fmt.Errorf("it is not ready: %w; its log is %s", last, c.logFile(p.name)))
		case <-p.done:
			return failure.New(failure.Node, "start", p.name, errors.New(tail(c.ownLog(p), 3000)))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// ownLog returns the log of a daemon's current process.
func (c *Cluster) ownLog(p *part) []byte {
	b, _ := os.ReadFile(c.logFile(p.name))
	return b[min(int64(len(b)), p.logged):]
}

func (p *part) running() bool {
	if p.cmd == nil {
		return false
	}
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

func (p *part) signal(s syscall.Signal) error {
	if !p.running() {
		return failure.New(failure.NotFound, "signal", p.name, errors.New("it does not run"))
	}
	if err := syscall.Kill(-p.cmd.Process.Pid, s); err != nil {
		return failure.New(failure.IO, "signal", p.name, err)
	}
	return nil
}

// stop terminates a daemon. If the daemon does not exit within 10 s, stop kills it.
func (p *part) stop() {
	if !p.running() {
		return
	}
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGCONT)
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(10 * time.Second):
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
		<-p.done
	}
}

func (c *Cluster) part(name string) (*part, error) {
	for _, p := range c.parts {
		if p.name == name {
			return p, nil
		}
	}
	return nil, failure.New(failure.NotFound, "find part", name, nil)
}

// Kill kills a daemon with SIGKILL and waits until it has exited. NameNodes are "namenode", or
// "namenode1" and "namenode2" in an HA pair. DataNodes are "datanode1" and so on. The other names
// are "resourcemanager", "nodemanager", and "historyserver".
func (c *Cluster) Kill(name string) error {
	p, err := c.part(name)
	if err != nil {
		return err
	}
	if err := p.signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-p.done
	return nil
}

// Pause suspends a daemon with SIGSTOP. Its connections stay open, but it does not respond.
func (c *Cluster) Pause(name string) error {
	p, err := c.part(name)
	if err != nil {
		return err
	}
	return p.signal(syscall.SIGSTOP)
}

// Resume resumes a paused daemon.
func (c *Cluster) Resume(name string) error {
	p, err := c.part(name)
	if err != nil {
		return err
	}
	return p.signal(syscall.SIGCONT)
}

// Restart starts a daemon again at the same address and waits until it is ready. If the daemon is
// running, Restart stops it first.
func (c *Cluster) Restart(ctx context.Context, name string) error {
	p, err := c.part(name)
	if err != nil {
		return err
	}
	p.stop()
	return c.start(ctx, p)
}

// Pid returns the process ID of a daemon, or 0 if the daemon is not running.
func (c *Cluster) Pid(name string) int {
	if p, err := c.part(name); err == nil && p.running() {
		return p.cmd.Process.Pid
	}
	return 0
}

// Addr returns a daemon's HOST:PORT for RPC or, in the case of a DataNode, for data transfer. It
// returns "" for the NodeManager or if the cluster has no such daemon.
func (c *Cluster) Addr(name string) string {
	if p, err := c.part(name); err == nil {
		return p.rpc
	}
	return ""
}

// Web returns the HOST:PORT of a daemon's web server, or "" if the cluster has no such daemon.
func (c *Cluster) Web(name string) string {
	if p, err := c.part(name); err == nil {
		return p.web
	}
	return ""
}

// Log returns what a daemon has logged since its last start.
func (c *Cluster) Log(name string) []byte {
	p, err := c.part(name)
	if err != nil {
		return nil
	}
	return c.ownLog(p)
}
