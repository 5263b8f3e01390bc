package daemon

import (
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/frame"
	"github.com/howdah/howdah/internal/proctree"
	"github.com/howdah/howdah/internal/wire/umbilical"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/tasktracker"
)

// child is one process with its umbilical. One goroutine reads the umbilical, another writes to it,
// and a third waits for the process to end. The owner only sends orders, which never blocks.
type child struct {
	d      *Daemon
	handle int32
	path   string // path of the program, which is the process's first argument
	image  string // executable file of the process

	orders chan order
	grants chan grant // only the last grant counts

	mu     sync.Mutex
	tree   *proctree.Tree
	meter  *meter
	output *os.File // its output before an attempt opens its logs
	killed bool

	attempt job.Attempt // its last attempt
	logs    childLogs

	asked, over job.Attempt // the last attempt that asked to commit, and the last one whose end the child reported
}

// order is one message to the child. It is an attempt to launch or, if launch is nil, msg.
type order struct {
	launch *launch
	msg    *umbilical.ToChild
}

// grant is the memory that an attempt may use for a limited time.
type grant struct {
	attempt job.Attempt
	bytes   int64
	lease   time.Duration
}

const (
	// envChild is the environment variable that makes a program run as a task's child. The child's
	// umbilical is file descriptor 3.
	envChild = "HOWDAH_CHILD"

	// maxOrders is the capacity of a child's queue of orders. It is larger than the number of orders
	// (launch, exit, stop) that the machine sends to a child before the child reads them.
	maxOrders = 8

	// lastWords is the maximum time that a child may take to exit after it has closed its
	// umbilical. It is also the maximum time for reading a dead child's remaining messages.
	lastWords = 2 * time.Second
)

// runner runs attempts one after another. It is a process (child) or a goroutine of the TaskTracker
// (waiter). No method waits for the end of an attempt, but kill may scan all processes.
type runner interface {
	launch(*launch)
	leave() // exit; no attempt is running
	stop()  // stop the attempt and exit
	kill()
	pid() int // 0 if the runner is not a process
}

// spawn starts a runner for the job. The runner is a waiter if the job's attempts only wait, and
// otherwise a process that runs the job's program. Job 0 means the TaskTracker's own program.
func (d *Daemon) spawn(handle, seq int32) {
	if j := d.jobs[seq]; j != nil && j.waits != nil {
		d.children[handle] = d.spawnWaiter(handle)
		return
	}
	c := &child{d: d, handle: handle, path: d.cfg.Program.Path, image: d.cfg.image, orders: make(chan order, maxOrders),
		grants: make(chan grant, 1)}
	if j := d.jobs[seq]; j != nil && j.program != d.cfg.Program.Path {
		c.path = j.program
		if j.account == nil {
			c.image = j.program
		} // otherwise the TaskTracker's own program first becomes the user; see pen.become
	}
	d.children[handle] = c
	d.work.Go(func() {
		exit := c.run()
		exit.Kind, exit.Child = tasktracker.InExited, handle
		d.post(exit)
	})
}

// run starts the process and reads its messages. When the process has ended, run returns an input
// that reports the end to the machine.
func (c *child) run() tasktracker.Input {
	conn, output, err := c.start()
	if err != nil {
		return tasktracker.Input{Failure: failure.KindOf(err), Text: err.Error()}
	}
	defer conn.Close()
	defer output.Close()

	exited := make(chan proctree.Exit, 1)
	c.d.work.Go(func() {
		exit, err := c.tree.Wait()
		if err != nil {
			c.d.log.Error("cannot wait for child", "pid", c.tree.Pid(), "err", err)
		}
		_ = conn.SetReadDeadline(time.Now().Add(lastWords))
		exited <- exit
	})
	stop := make(chan struct{})
	c.d.work.Go(func() { (&pen{c: c, w: frame.NewWriter(conn)}).write(stop) })
	defer close(stop)

	wrong := c.read(conn)
	if wrong != nil {
		c.d.log.Warn("child violates the protocol", "pid", c.tree.Pid(), "err", wrong)
		c.kill()
	}
	timer := time.AfterFunc(lastWords, c.kill)
	exit := <-exited
	timer.Stop()
	c.logs.cut(c.d)
	in := tasktracker.Input{Failure: exitKind(exit), Text: exitText(exit, output)}
	if wrong != nil {
		in.Failure, in.Text = failure.KindOf(wrong), violation(wrong)+"\n"+in.Text
	}
	in = c.meter.judge(in)
	c.meter.end()
	c.d.removeGroup(c.meter.group)
	c.d.log.Debug("child ended", "child", c.handle, "pid", c.tree.Pid(), "code", exit.Code, "signal", int(exit.Signal),
		"cpu", exit.CPU, "rss", exit.MaxRSS)
	return in
}

// violation returns the failure text for a task whose child the TaskTracker killed because it
// violated the protocol. err describes the violation.
func violation(err error) string {
	text := fmt.Sprintf("The TaskTracker killed the task because of a message from its process: %v.", err)
	if failure.Is(err, failure.Limit) {
		text += " If the task has very many counters or output files, raise " + conf.IPCMaximumDataLength.Name +
			" of the JobTracker and the TaskTrackers."
	}
	return text
}

// start starts the process. Its output goes to an unnamed file until an attempt opens its own log
// files. When the process ends, the report quotes that file.
func (c *child) start() (conn net.Conn, output *os.File, err error) {
	bad := func(err error) error { return failure.New(failure.KindOf(err), "start child", c.path, err) }
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, nil, bad(err)
	}
	defer ours.Close()
	defer theirs.Close()
	if output, err = unnamedOutput(c.d.cfg.LogDir); err != nil {
		return nil, nil, bad(err)
	}
	if conn, err = net.FileConn(ours); err != nil {
		output.Close()
		return nil, nil, bad(err)
	}
	group := c.d.makeGroup(c.handle)
	tree, err := c.d.spawner.Start(proctree.Spec{Path: c.image, Args: []string{c.path}, Env: childEnv(c.d.cfg.Env),
		Files: []*os.File{c.d.null, output, output, theirs}})
	if err != nil {
		c.d.removeGroup(group)
		conn.Close()
		output.Close()
		return nil, nil, err
	}
	c.d.trees.Do(func() { c.d.log.Info("children are tracked with their descendants", "by", tree.Mode()) })
	// The process waits for its first order, so no attempt runs before the process is in its group.
	meter := c.d.meterFor(c.handle, group, tree)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tree, c.meter, c.output = tree, meter, output
	if c.killed {
		_ = tree.Kill()
	}
	return conn, output, nil
}

// unnamedOutput returns a new file in dir that has no name. All writes append, even after limitOutput
// has emptied the file.
func unnamedOutput(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, ".child-"+rand.Text()), os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err == nil {
		os.Remove(f.Name())
	}
	return f, err
}

// childEnv returns a child's environment. From this process's environment, it includes the
// variables in names, howdah's own variables, and the variables that describe the user.
func childEnv(names []string) []string {
	names = slices.Concat(names, []string{"HOME", "USER", "LOGNAME", "SHELL"})
	env := make([]string, 0, 64)
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if name != envChild && (strings.HasPrefix(name, "HOWDAH_") || slices.Contains(names, name)) {
			env = append(env, kv)
		}
	}
	return append(env, envChild+"=1")
}

func socketPair() (ours, theirs *os.File, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	syscall.CloseOnExec(fds[0])
	syscall.CloseOnExec(fds[1])
	return os.NewFile(uintptr(fds[0]), "umbilical"), os.NewFile(uintptr(fds[1]), "umbilical of child"), nil
}

// order sends an order and never blocks. If the child does not read its messages, order drops the
// order, and the machine later kills the child.
func (c *child) order(o order) {
	select {
	case c.orders <- o:
	default:
		c.d.log.Error("child does not read its messages", "child", c.handle)
	}
}

func (c *child) launch(l *launch) {
	c.mu.Lock()
	c.attempt = l.attempt
	c.mu.Unlock()
	c.order(order{launch: l})
}

// grant sends the child a new grant, which replaces any grant that the child has not read. Only the
// goroutine that applies the orchestrator's decisions calls grant.
func (c *child) grant(g grant) {
	select {
	case <-c.grants:
	default:
	}
	select {
	case c.grants <- g:
	default:
	}
}

func (c *child) leave() { c.order(order{msg: &umbilical.ToChild{Exit: true}}) }

// stop asks the child to stop, both over the umbilical and with a signal. The message lets the task
// clean up. The signal is for processes that the task started.
func (c *child) stop() {
	c.order(order{msg: &umbilical.ToChild{Stop: true}})
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tree != nil {
		_ = c.tree.Signal(syscall.SIGTERM)
	}
}

func (c *child) kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.killed = true
	if c.tree != nil {
		_ = c.tree.Kill()
	}
}

func exitKind(e proctree.Exit) failure.Kind {
	if e.Signal != 0 {
		return failure.Unknown
	}
	return failure.User
}

// exitText returns a description of how a child ended. It appends the last part of the output that
// the child wrote before an attempt opened its logs.
func exitText(e proctree.Exit, output *os.File) string {
	text := e.String()
	if b, err := tail(output, tasktracker.MaxText/2); err == nil && len(b) > 0 {
		text += "\n" + string(b)
	}
	return text
}

func tail(f *os.File, n int64) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	b := make([]byte, min(n, info.Size()))
	_, err = f.ReadAt(b, info.Size()-int64(len(b)))
	return b, err
}
