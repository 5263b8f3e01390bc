package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/schemes"
	"github.com/howdah/howdah/internal/daemonrun"
	"github.com/howdah/howdah/internal/procfs"
)

// cluster is a running minicluster.
type cluster struct {
	*daemonrun.Minicluster
	dir  string
	conf *conf.Config // of its clients
}

// startCluster starts a minicluster whose daemons have the settings ("key=value").
func startCluster(ctx context.Context, o options, dir string, trackers int, settings ...string) (*cluster, error) {
	c := &cluster{dir: filepath.Join(dir, "cluster")}
	args := []string{"--tasktrackers", strconv.Itoa(trackers), "--dir", c.dir}
	for _, s := range settings {
		args = append(args, "-D", s)
	}
	var err error
	c.Minicluster, err = daemonrun.StartMinicluster(ctx, daemonrun.Command{Program: o.howdah, Args: args, Log: os.Stderr})
	if err != nil {
		return nil, err
	}
	if c.conf, err = (conf.GenericOptions{ConfigDir: c.Conf}).Load(); err != nil {
		c.stop()
		return nil, err
	}
	c.conf.Set(conf.ClientConnectTimeout.Name, strconv.FormatInt(patience.Milliseconds(), 10), "load")
	return c, nil
}

// patience is how long clients try to connect on an overloaded machine.
const patience = 10 * time.Minute

func (c *cluster) stop() { c.Stop(30 * time.Second) }

func (c *cluster) dial() (*client.Client, error) {
	fs, err := schemes.Resolver(c.conf, nil)
	if err != nil {
		return nil, err
	}
	return client.Dial(c.conf, fs)
}

// use is the resource usage of a process and of the children that it has waited for.
type use struct {
	cpu    time.Duration
	memory int64 // resident bytes
}

// used returns the resource usage of a daemon and of its running descendants.
func (c *cluster) used(daemon string) (u use, err error) {
	root, err := daemonrun.PID(c.dir, daemon)
	if err != nil {
		return u, err
	}
	table, err := procfs.ReadTree(root)
	if err == nil && len(table) == 0 {
		err = fmt.Errorf("%s has ended; its log is in %s", daemon, c.dir)
	}
	for _, p := range table {
		u.cpu += time.Duration(p.Ticks) * procfs.Tick
		u.memory += p.Memory
	}
	return u, err
}

// yield sets the niceness of this process to n, so that daemons that it has already started precede
// it. Linux has a niceness for each thread. New threads inherit it.
func yield(n int) error {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return err
	}
	for _, t := range threads {
		id, err := strconv.Atoi(t.Name())
		if err != nil {
			return err
		}
		if err := syscall.Setpriority(syscall.PRIO_PROCESS, id, n); err != nil {
			return fmt.Errorf("lower the priority of the generator to %d: %w", n, err)
		}
	}
	return nil
}

// ownCPU returns the CPU time of this process.
func ownCPU() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
