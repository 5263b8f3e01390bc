// Package process runs a node's agent as a local process that outlives its starter. The environment
// of the agent and its descendants contains the node's directory. The package can therefore find
// them even if the starter and the agent were killed. Only Linux exposes the environment of
// processes. On other systems, the package finds only the agent, by the process ID in the node's
// directory. Start with Start and End.
package process

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/internal/owndir"
	"github.com/howdah/howdah/internal/owned"
	"github.com/howdah/howdah/internal/proctree"
	"github.com/howdah/howdah/job/failure"
)

// StopGrace is how long an agent may take to shut down cleanly.
const StopGrace = 20 * time.Second

// markKey is the environment variable that marks a process with the directory of its node.
const markKey = "HOWDAH_POOL_NODE"

func mark(dir string) string { return markKey + "=" + dir }

func pidFile(dir string) string { return filepath.Join(dir, "agent.pid") }

// Log returns the path of an agent's log.
func Log(dir string) string { return filepath.Join(dir, "agent.log") }

// gate is a script that waits for a line of input and then runs the agent.
const gate = `read go && exec "$@" < /dev/null`

// Start starts a node's agent unless it is already running. It first ends the processes that a
// killed agent left behind. If into is not nil, Start calls it with the new process's ID before the
// agent begins to run.
func Start(dir string, command, env []string, into func(pid int) error) error {
	if Running(dir) {
		return nil
	}
	proctree.KillMarked(mark(dir))
	if err := os.MkdirAll(dir, owndir.Crossed()); err != nil {
		return failure.New(failure.KindOf(err), "make directory", dir, err)
	}
	log, err := os.OpenFile(Log(dir), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return failure.New(failure.KindOf(err), "open log", Log(dir), err)
	}
	defer log.Close()
	if into != nil {
		command = append([]string{"/bin/sh", "-c", gate, "gate"}, command...)
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	cmd.Env = slices.Concat(os.Environ(), env, []string{mark(dir)})
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := start(cmd, into); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // reaps the agent, which might outlive this process
	return writePID(dir, cmd.Process.Pid)
}

// start starts a process. If into is not nil, the process waits at the gate until into returns.
func start(cmd *exec.Cmd, into func(pid int) error) error {
	var open io.WriteCloser
	if into != nil {
		var err error
		if open, err = cmd.StdinPipe(); err != nil {
			return failure.New(failure.IO, "start agent", cmd.Path, err)
		}
		defer open.Close() // without input, the gate exits
	}
	if err := cmd.Start(); err != nil {
		return failure.New(failure.KindOf(err), "start agent", cmd.Path, err)
	}
	if into == nil {
		return nil
	}
	err := into(cmd.Process.Pid)
	if err == nil {
		_, err = io.WriteString(open, "go\n")
	}
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	return err
}

// writePID writes the agent's process ID. If it fails, it kills the agent, because PID could not
// find the agent.
func writePID(dir string, pid int) error {
	err := lifecycle.WritePID(pidFile(dir), pid)
	if err != nil {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	return err
}

// PID returns the process ID of a node's agent, or 0 if the agent is not running.
func PID(dir string) int {
	b, err := os.ReadFile(pidFile(dir))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil || pid <= 1 || !proctree.Carries(pid, mark(dir)) {
		return 0
	}
	return pid
}

// Running reports whether a node's agent is running.
func Running(dir string) bool { return PID(dir) != 0 }

// Remove ends all processes of a node and removes its directory. It lets the agent shut down
// cleanly.
func Remove(ctx context.Context, dir string) error {
	if err := End(ctx, dir); err != nil {
		return err
	}
	if err := owned.RemoveAll(context.Background(), dir); err != nil {
		return failure.New(failure.KindOf(err), "remove", dir, err)
	}
	return nil
}

// End ends all processes of a node. It lets the agent shut down cleanly.
func End(ctx context.Context, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, StopGrace)
	defer cancel()
	pid := PID(dir)
	if pid != 0 {
		_ = syscall.Kill(pid, syscall.SIGTERM)
	}
	for pid != 0 && ctx.Err() == nil && proctree.Carries(pid, mark(dir)) {
		_ = lifecycle.Sleep(ctx, 10*time.Millisecond)
	}
	if pid != 0 && proctree.Carries(pid, mark(dir)) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	proctree.KillMarked(mark(dir))
	if left := Members(dir); len(left) > 0 {
		return failure.New(failure.Timeout, "end the processes of", dir,
			errors.New("process "+strconv.Itoa(left[0])+" is still running"))
	}
	return nil
}

// Fail makes a node look like a failed machine. It suspends the agent, so that the node's back end does
// not restart it, and ends the node's other processes, at once or, if gracefully is set, after a
// SIGTERM. Return and Resume undo it. Fail returns an error of kind NotFound if the agent is not
// running, and works only on Linux.
func Fail(ctx context.Context, dir string, gracefully bool) error {
	agent := PID(dir)
	if agent == 0 {
		return failure.New(failure.NotFound, "suspend the agent of", dir, errors.New("it is not running"))
	}
	if err := syscall.Kill(agent, syscall.SIGSTOP); err != nil {
		return failure.New(failure.KindOf(err), "suspend the agent of", dir, err)
	}
	others := func() []int {
		return slices.DeleteFunc(Members(dir), func(pid int) bool { return pid == agent })
	}
	if gracefully {
		for _, pid := range others() {
			_ = syscall.Kill(pid, syscall.SIGTERM)
		}
		ctx, cancel := context.WithTimeout(ctx, StopGrace)
		defer cancel()
		for len(others()) > 0 && lifecycle.Sleep(ctx, 10*time.Millisecond) == nil {
		}
	}
	for left := others(); len(left) > 0; left = others() {
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		if err := lifecycle.Sleep(ctx, time.Millisecond); err != nil {
			return failure.New(failure.KindOf(err), "end the processes of", dir, err)
		}
	}
	return nil
}

// Return ends the agent that Fail suspended. The node's back end then starts another one.
func Return(dir string) error { return signal(dir, syscall.SIGKILL) }

// Resume continues the agent that Fail suspended. It does nothing to other agents.
func Resume(dir string) error { return signal(dir, syscall.SIGCONT) }

func signal(dir string, s syscall.Signal) error {
	if pid := PID(dir); pid != 0 {
		return syscall.Kill(pid, s)
	}
	return nil
}

// Members returns the IDs of a node's processes: its agent and the agent's descendants. On systems
// other than Linux, it returns nil.
func Members(dir string) []int { return proctree.Marked(mark(dir)) }
