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

// The main classes of the parts.
const (
	nameNodeClass        = "org.apache.hadoop.hdfs.server.namenode.NameNode"
	dataNodeClass        = "org.apache.hadoop.hdfs.server.datanode.DataNode"
	resourceManagerClass = "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager"
	nodeManagerClass     = "org.apache.hadoop.yarn.server.nodemanager.NodeManager"
	historyClass         = "org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer"
)

// startTimeout is how long each part may take until it is ready: long, since a busy machine starts Java slowly.
const startTimeout = 5 * time.Minute

// part is one Java process of the cluster, with what it takes to start it again.
type part struct {
	name, class string
	conf        string              // its configuration directory
	rpc, web    string              // where its RPC (a DataNode: its transfer port) and its web server listen
	node        *node               // its network namespace; nil = this one
	ready       func(p *part) error // nil as soon as it can be used
	cmd         *exec.Cmd           // nil until the first start
	done        chan struct{}       // closed when the process has gone
	logged      int64               // bytes of the log that former processes wrote
}

func (c *Cluster) logFile(name string) string { return filepath.Join(c.dir, "logs", name+".log") }

// start starts a part's process and waits until it is ready.
func (c *Cluster) start(ctx context.Context, p *part) error {
	log, err := os.OpenFile(c.logFile(p.name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return failure.New(failure.KindOf(err), "write log of", p.name, err)
	}
	defer log.Close()
	if i, err := log.Stat(); err == nil {
		p.logged = i.Size()
	}
	// The process outlives ctx, which limits the start alone.
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
			return failure.New(failure.Timeout, "start", p.name, fmt.Errorf("it is not ready: %w; its log is %s", last, c.logFile(p.name)))
		case <-p.done:
			return failure.New(failure.Node, "start", p.name, errors.New(tail(c.ownLog(p), 3000)))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// ownLog gives what a part's present process logged.
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

// stop asks a part to end, and kills it where it does not.
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

// Kill ends a part at once, as kill -9 does, and returns when it has gone. A NameNode is "namenode" (of an HA pair
// "namenode1" and "namenode2"), a DataNode "datanode1" and so on; the others are "resourcemanager", "nodemanager" and
// "historyserver".
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

// Pause stops a part as SIGSTOP does: its connections stay open and nothing answers.
func (c *Cluster) Pause(name string) error {
	p, err := c.part(name)
	if err != nil {
		return err
	}
	return p.signal(syscall.SIGSTOP)
}

// Resume lets a paused part go on.
func (c *Cluster) Resume(name string) error {
	p, err := c.part(name)
	if err != nil {
		return err
	}
	return p.signal(syscall.SIGCONT)
}

// Restart starts a part again at its former address and waits until it is ready; one that runs is stopped first.
func (c *Cluster) Restart(ctx context.Context, name string) error {
	p, err := c.part(name)
	if err != nil {
		return err
	}
	p.stop()
	return c.start(ctx, p)
}

// Pid gives the process id of a part; 0 if it does not run.
func (c *Cluster) Pid(name string) int {
	if p, err := c.part(name); err == nil && p.running() {
		return p.cmd.Process.Pid
	}
	return 0
}

// Addr gives HOST:PORT of a part: a NameNode's RPC, a DataNode's data transfer, the ResourceManager's RPC; "" if there is
// no such part.
func (c *Cluster) Addr(name string) string {
	if p, err := c.part(name); err == nil {
		return p.rpc
	}
	return ""
}

// Web gives HOST:PORT of a part's web server.
func (c *Cluster) Web(name string) string {
	if p, err := c.part(name); err == nil {
		return p.web
	}
	return ""
}

// Log gives what a part logged since it was last started.
func (c *Cluster) Log(name string) []byte {
	p, err := c.part(name)
	if err != nil {
		return nil
	}
	return c.ownLog(p)
}
