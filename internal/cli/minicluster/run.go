package minicluster

import (
	"cmp"
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

// readyTimeout is the maximum time until all TaskTrackers have joined.
const readyTimeout = 30 * time.Second

// cluster is a running cluster.
type cluster struct {
	o     Options
	l     layout
	ports ports
	start *starter
	parts []*part // JobTracker first
}

// Run starts the cluster, prints a message when it is ready, and runs the command or waits until
// ctx is done. Then it stops all parts. code is the command's exit code, or 0 if there is no
// command.
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
		if ctx.Err() != nil { // Ctrl-C before the cluster was ready
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

// acquire locks the directory, so that only one cluster uses it.
func acquire(l layout) (*os.File, error) {
	f, err := os.OpenFile(l.lock(), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "lock", l.dir, err)
	}
	if err := dirlock.Flock(f); err != nil {
		f.Close()
		return nil, failure.New(failure.Exists, "lock", l.dir,
			errors.New("a minicluster is already running in this directory")).Fix("stop it or use another --dir")
	}
	return f, nil
}

func trackerName(i int) string { return "tasktracker-" + strconv.Itoa(i) }

// prepare writes all files of the cluster and creates its parts.
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
	c.addPart("jobtracker", cmp.Or(c.o.JobTracker, c.o.Program), "jobtracker")
	for i := 1; i <= c.o.TaskTrackers; i++ {
		name := trackerName(i)
		c.addPart(name, cmp.Or(c.o.TaskTracker, c.o.Program), "tasktracker",
			"-D", "mapreduce.tasktracker.http.address="+c.ports.addr(name))
	}
	return nil
}

// addPart adds a daemon. The daemon's generic options precede its own options, because programs
// other than howdah require that order.
func (c *cluster) addPart(name, program, command string, more ...string) {
	args := append([]string{program, command, "--config", c.l.conf(),
		"-D", "mapreduce.cluster.local.dir=" + c.l.local(name),
		"-D", "hadoop.log.dir=" + filepath.Join(c.l.dir, "logs", name)}, more...)
	c.parts = append(c.parts, &part{name: name, args: append(args, "--pid-file", c.l.pid(name)), l: c.l})
}

// waitReady waits until every TaskTracker has joined. It returns an error if a part ends first, or
// after readyTimeout.
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
				fmt.Errorf("%d of %d TaskTrackers joined within %v (%v)", n, c.o.TaskTrackers, readyTimeout,
					err)).Fix("see the logs in " + c.l.dir + "/logs")
		}
	}
}

// announce prints how to use the cluster. If there is a command, announce prints this to standard
// error, because standard output is for the command's results. It always prints what protects the
// cluster to standard error.
func (c *cluster) announce() {
	w := c.o.Stdout
	if len(c.o.Command) > 0 {
		w = c.o.Stderr
	}
	fmt.Fprintf(w, "minicluster ready: config %s jobtracker %s web %s://%s\n", c.l.conf(), c.ports.addr(jobTrackerRPC),
		c.o.Scheme, c.ports.addr(jobTrackerHTTP))
	fmt.Fprintf(c.o.Stderr, "minicluster security: %s\n", c.o.Security)
}

// watch reports parts that end and restarts them if the options permit it. It returns when ctx
// is done, stop is closed, or a restart fails.
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
				fmt.Fprintf(c.o.Stderr, "minicluster: %s died (%v); restart it with: sh %s\n", p.name, p.err,
					c.l.command(p.name))
				continue
			}
			fmt.Fprintf(c.o.Stderr, "minicluster: %s died (%v); restarting it\n", p.name, p.err)
			if err := p.start(c.start); err != nil {
				return err
			}
		}
	}
}

// runCommand runs the user's command in the cluster. When ctx is done, the command has stopGrace to
// exit. Ctrl-C on the terminal also reaches the command directly.
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
