package minicluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/howdah/howdah/internal/dirlock"
	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/job/failure"
)

// readyTimeout is how long all parts together may take to find each other.
const readyTimeout = 30 * time.Second

// cluster is one that runs.
type cluster struct {
	o     Options
	l     layout
	ports ports
	start *starter
	parts []*part // the JobTracker first
}

// Run starts the cluster, says when it is ready, runs the command or waits for the end of ctx, and stops everything. The code
// is that of the command; 0 without one.
func Run(ctx context.Context, o Options) (code int, err error) {
	if err := o.check(); err != nil {
		return 0, err
	}
	l, done, err := prepareDir(o.Dir)
	if err != nil {
		return 0, err
	}
	defer done()
	lock, err := acquire(l)
	if err != nil {
		return 0, err
	}
	defer lock.Close()

	c := &cluster{o: o, l: l, start: newStarter()}
	defer c.start.close()
	if err := c.prepare(); err != nil {
		return 0, err
	}
	defer c.stop()
	for _, p := range c.parts {
		if err := p.start(c.start); err != nil {
			return 0, err
		}
	}
	if err := c.waitReady(ctx); err != nil {
		if ctx.Err() != nil { // Ctrl-C before it was ready
			return 0, nil
		}
		return 0, err
	}
	c.announce()
	if len(o.Command) > 0 {
		return c.runCommand(ctx)
	}
	return 0, c.watch(ctx, nil)
}

// acquire makes sure that one cluster at a time uses the directory.
func acquire(l layout) (*os.File, error) {
	f, err := os.OpenFile(l.lock(), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "lock", l.dir, err)
	}
	if err := dirlock.Flock(f); err != nil {
		f.Close()
		return nil, failure.New(failure.Exists, "lock", l.dir, errors.New("a minicluster runs there already")).Fix("stop it or give another --dir")
	}
	return f, nil
}

func trackerName(i int) string { return "tasktracker-" + strconv.Itoa(i) }

// prepare writes all files of the cluster and lays out its parts.
func (c *cluster) prepare() error {
	if err := c.l.make(); err != nil {
		return err
	}
	names := []string{jobTrackerRPC, jobTrackerHTTP}
	for i := 1; i <= c.o.TaskTrackers; i++ {
		names = append(names, trackerName(i))
	}
	var err error
	if c.ports, err = readPorts(c.l.ports(), names); err != nil {
		return err
	}
	if err := writeConf(c.l, c.ports, c.o.Set); err != nil {
		return err
	}
	c.addPart("jobtracker", "jobtracker")
	for i := 1; i <= c.o.TaskTrackers; i++ {
		name := trackerName(i)
		c.addPart(name, "tasktracker", "-D", "mapreduce.tasktracker.http.address="+c.ports.addr(name))
	}
	return nil
}

func (c *cluster) addPart(name, command string, more ...string) {
	args := []string{c.o.Program, command, "--pid-file", c.l.pid(name), "--config", c.l.conf(), "-D", "mapreduce.cluster.local.dir=" + c.l.local(name),
		"-D", "hadoop.log.dir=" + filepath.Join(c.l.dir, "logs", name)}
	c.parts = append(c.parts, &part{name: name, args: append(args, more...), l: c.l})
}

// waitReady waits until every TaskTracker has joined. A part that dies meanwhile ends the wait.
func (c *cluster) waitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	for {
		n, err := c.o.Joined(ctx, c.ports.addr(jobTrackerRPC))
		if err == nil && n >= c.o.TaskTrackers {
			return nil
		}
		for _, p := range c.parts {
			if p.ended() {
				return p.why()
			}
		}
		if lifecycle.Sleep(ctx, 10*time.Millisecond) != nil {
			return failure.New(failure.Timeout, "start minicluster in", c.l.dir,
				fmt.Errorf("%d of %d TaskTrackers joined within %v (%v)", n, c.o.TaskTrackers, readyTimeout, err)).Fix("see the logs in " + c.l.dir + "/logs")
		}
	}
}

// announce prints the line that says how to use the cluster: a result, unless the command's results go to the same place.
func (c *cluster) announce() {
	w := c.o.Stdout
	if len(c.o.Command) > 0 {
		w = c.o.Stderr
	}
	fmt.Fprintf(w, "minicluster ready: config %s jobtracker %s web http://%s\n", c.l.conf(), c.ports.addr(jobTrackerRPC), c.ports.addr(jobTrackerHTTP))
}

// watch tells of parts that die, and starts them again if it may, until ctx ends or stop is closed.
func (c *cluster) watch(ctx context.Context, stop <-chan struct{}) error {
	told := map[*part]bool{}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-stop:
			return nil
		case <-tick.C:
		}
		for _, p := range c.parts {
			if !p.ended() || told[p] {
				continue
			}
			if !c.o.Restart {
				told[p] = true
				fmt.Fprintf(c.o.Stderr, "minicluster: %s died (%v); start it again with: sh %s\n", p.name, p.err, c.l.command(p.name))
				continue
			}
			fmt.Fprintf(c.o.Stderr, "minicluster: %s died (%v); starting it again\n", p.name, p.err)
			if err := p.start(c.start); err != nil {
				return err
			}
		}
	}
}

// runCommand runs the user's command beside the cluster. Ctrl-C reaches it through the terminal; it is given time to end.
func (c *cluster) runCommand(ctx context.Context) (int, error) {
	cmd := exec.Command(c.o.Command[0], c.o.Command[1:]...)
	cmd.Env = append(os.Environ(), "HOWDAH_CONF_DIR="+c.l.conf())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.o.Stdin, c.o.Stdout, c.o.Stderr
	if err := cmd.Start(); err != nil {
		return 0, failure.New(failure.KindOf(err), "run", c.o.Command[0], err)
	}
	ended, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		_ = c.watch(context.WithoutCancel(ctx), ended)
	}()
	giveUp := context.AfterFunc(ctx, func() {
		_ = cmd.Process.Signal(terminate)
		select {
		case <-ended:
		case <-time.After(stopGrace):
			_ = cmd.Process.Kill()
		}
	})
	err := cmd.Wait()
	close(ended)
	<-watched
	giveUp()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0, nil
	case !errors.As(err, &exit):
		return 0, failure.New(failure.IO, "run", c.o.Command[0], err)
	}
	if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal()), nil
	}
	return exit.ExitCode(), nil
}

// stop ends the TaskTrackers, then the JobTracker.
func (c *cluster) stop() {
	stop(c.parts[1:])
	stop(c.parts[:1])
}
