package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/daemonrun"
	"github.com/howdah/howdah/internal/lifecycle"
)

// cluster is a minicluster with one JobTracker and two TaskTrackers.
type cluster struct {
	dir   string
	runs  *daemonrun.Minicluster
	again *exec.Cmd // the restarted JobTracker
}

const stopTimeout = 30 * time.Second

func startCluster(ctx context.Context, program, dir string) (*cluster, error) {
	c := &cluster{dir: filepath.Join(dir, "cluster")}
	var err error
	c.runs, err = daemonrun.StartMinicluster(ctx,
		daemonrun.Command{Program: program, Args: []string{"--tasktrackers", "2", "--dir", c.dir}, Log: os.Stderr})
	return c, err
}

func (c *cluster) stop() {
	if c.again != nil {
		_ = c.again.Process.Signal(os.Interrupt)
		_ = c.again.Wait()
	}
	c.runs.Stop(stopTimeout)
}

// conf returns the configuration for the cluster's clients.
func (c *cluster) conf() (*conf.Config, error) {
	out := conf.New()
	for _, name := range []string{"core-site.xml", "mapred-site.xml"} {
		if err := out.LoadFile(filepath.Join(c.dir, "conf", name)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (c *cluster) pid() (int, error) {
	if c.again != nil {
		return c.again.Process.Pid, nil
	}
	return daemonrun.PID(c.dir, "jobtracker")
}

// crash kills the JobTracker with SIGKILL and waits until the process is gone.
func (c *cluster) crash(ctx context.Context) error {
	pid, err := c.pid()
	if err != nil {
		return err
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return err
	}
	for syscall.Kill(pid, 0) == nil {
		if err := lifecycle.Sleep(ctx, 5*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// startAgain starts the JobTracker again with the same command.
func (c *cluster) startAgain() error {
	log, err := os.OpenFile(filepath.Join(c.dir, "logs", "jobtracker.log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	line, err := os.ReadFile(filepath.Join(c.dir, "commands", "jobtracker"))
	if err != nil {
		return err
	}
	c.again = exec.Command("sh", "-c", "exec "+string(line))
	c.again.Stdout, c.again.Stderr = log, log
	return c.again.Start()
}
