package lab

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/howdah/howdah/internal/daemonrun"
	"github.com/howdah/howdah/job/failure"
)

func (c *Cluster) clusterDir() string { return filepath.Join(c.dir, "cluster") }

func trackerName(n int) string { return "tasktracker-" + strconv.Itoa(n) }

// TrackerPID returns the process ID of TaskTracker n. The first TaskTracker is 1.
func (c *Cluster) TrackerPID(n int) (int, error) {
	pid, err := daemonrun.PID(c.clusterDir(), trackerName(n))
	if err != nil {
		return 0, failure.New(failure.KindOf(err), "find", trackerName(n), err)
	}
	return pid, nil
}

// StopTracker ends the process of TaskTracker n. If gracefully is set, the TaskTracker leaves the
// cluster first. Otherwise it dies at once.
func (c *Cluster) StopTracker(n int, gracefully bool) error {
	pid, err := c.TrackerPID(n)
	if err != nil {
		return err
	}
	signal := syscall.SIGKILL
	if gracefully {
		signal = syscall.SIGTERM
	}
	if err := syscall.Kill(pid, signal); err != nil {
		return failure.New(failure.KindOf(err), "stop", fmt.Sprintf("%s (process %d)", trackerName(n), pid), err)
	}
	return nil
}

// StartTracker starts TaskTracker n again, after StopTracker. Stop stops it, too.
func (c *Cluster) StartTracker(n int) error {
	cmd := exec.Command("sh", filepath.Join(c.clusterDir(), "commands", trackerName(n)))
	cmd.Env = daemonrun.Environ()
	cmd.Stdout, cmd.Stderr = c.log, c.log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return failure.New(failure.KindOf(err), "start", trackerName(n), err)
	}
	go func() { _ = cmd.Wait() }() // the log contains the reason of an early end
	return nil
}
