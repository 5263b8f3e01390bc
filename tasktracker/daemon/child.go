package daemon

import (
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/howdah/howdah/internal/frame"
	"github.com/howdah/howdah/internal/proctree"
	"github.com/howdah/howdah/internal/wire/umbilical"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/tasktracker"
)

// child is one process with its umbilical: a goroutine reads what it says, one writes to it, one waits for its end. The owner
// only gives orders, none of which waits.
type child struct {
	d      *Daemon
	handle int32
	path   string // of the program
	image  string // what is executed for it

	orders chan order
	grants chan grant // the latest counts

	mu     sync.Mutex
	tree   *proctree.Tree
	meter  *meter
	killed bool

	attempt job.Attempt // what it was given last
}

// order is one thing to tell the child.
type order struct {
	launch *launch
	msg    *umbilical.ToChild
}

// grant is the memory that an attempt has for some time.
type grant struct {
	attempt job.Attempt
	bytes   int64
	lease   time.Duration
}

const (
	// envChild makes a program run as a task's child; descriptor 3 is its umbilical.
	envChild = "HOWDAH_CHILD"

	// maxOrders is more than the machine ever gives to one child at a time: launch, exit, stop.
	maxOrders = 8

	// lastWords is how long a child that closed its umbilical may take to end, and how long what a dead one said is read.
	lastWords = 2 * time.Second
)

// runner runs attempts, one after the other: a process (child), or the TaskTracker itself (sleeper). Its methods only give
// orders; none of them waits.
type runner interface {
	launch(*launch)
	leave() // it has no attempt and shall go
	stop()  // end the attempt and go
	kill()
	pid() int // 0 = no process
}

// spawn starts a runner for the job: a process of its program, or of the own one for job 0.
func (d *Daemon) spawn(handle, seq int32) {
	if j := d.jobs[seq]; j != nil && j.naps != nil {
		d.children[handle] = d.spawnSleeper(handle)
		return
	}
	c := &child{d: d, handle: handle, path: d.cfg.Program.Path, image: d.cfg.image, orders: make(chan order, maxOrders), grants: make(chan grant, 1)}
	if j := d.jobs[seq]; j != nil && j.program != d.cfg.Program.Path {
		c.path, c.image = j.program, j.program
	}
	d.children[handle] = c
	d.work.Go(func() {
		exit := c.run()
		exit.Kind, exit.Child = tasktracker.InExited, handle
		d.post(exit)
	})
}

// run lives as long as the process and gives its end as the machine wants to hear it.
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
			c.d.log.Error("wait for child", "pid", c.tree.Pid(), "err", err)
		}
		_ = conn.SetReadDeadline(time.Now().Add(lastWords))
		exited <- exit
	})
	stop := make(chan struct{})
	c.d.work.Go(func() { (&pen{c: c, w: frame.NewWriter(conn)}).write(stop) })
	defer close(stop)

	if err := c.read(conn); err != nil {
		c.d.log.Warn("child breaks the protocol", "pid", c.tree.Pid(), "err", err)
		c.kill()
	}
	timer := time.AfterFunc(lastWords, c.kill)
	exit := <-exited
	timer.Stop()
	in := c.meter.judge(tasktracker.Input{Failure: exitKind(exit), Text: exitText(exit, output)})
	c.meter.end()
	c.d.removeGroup(c.meter.group)
	c.d.log.Debug("child ended", "child", c.handle, "pid", c.tree.Pid(), "code", exit.Code, "signal", int(exit.Signal), "cpu", exit.CPU, "rss", exit.MaxRSS)
	return in
}

// start makes the process. Until an attempt's own log files are opened in it, its output goes to a file without a name that
// is only read when it dies early.
func (c *child) start() (conn net.Conn, output *os.File, err error) {
	bad := func(err error) error { return failure.New(failure.KindOf(err), "start child", c.path, err) }
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, nil, bad(err)
	}
	defer ours.Close()
	defer theirs.Close()
	if output, err = os.CreateTemp(c.d.cfg.LogDir, ".child-*"); err != nil {
		return nil, nil, bad(err)
	}
	os.Remove(output.Name())
	if conn, err = net.FileConn(ours); err != nil {
		output.Close()
		return nil, nil, bad(err)
	}
	group := c.d.makeGroup(c.handle)
	tree, err := c.d.spawner.Start(proctree.Spec{Path: c.image, Args: []string{c.path}, Env: childEnv(), Files: []*os.File{c.d.null, output, output, theirs}})
	if err != nil {
		c.d.removeGroup(group)
		conn.Close()
		output.Close()
		return nil, nil, err
	}
	c.d.trees.Do(func() { c.d.log.Info("children and their descendants are held together", "by", tree.Mode()) })
	// It waits for its first order, so nothing of a job runs before the process is in its group.
	meter := c.d.meterFor(c.handle, group, tree)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tree, c.meter = tree, meter
	if c.killed {
		_ = tree.Kill()
	}
	return conn, output, nil
}

func childEnv() []string {
	env := make([]string, 0, 64)
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, envChild+"=") {
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

// order never waits: a child that does not take its orders is killed by the machine's deadlines.
func (c *child) order(o order) {
	select {
	case c.orders <- o:
	default:
		c.d.log.Error("child takes no orders", "child", c.handle)
	}
}

func (c *child) launch(l *launch) {
	c.mu.Lock()
	c.attempt = l.attempt
	c.mu.Unlock()
	c.order(order{launch: l})
}

// grant has the child told. Only the goroutine that obeys the orchestrator calls it.
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

// stop asks twice: over the umbilical, so that the task can clean up, and by signal, as tasks' own processes expect.
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

// exitText says how a child ended, with the end of what it wrote before its logs were open.
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
