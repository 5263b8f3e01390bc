// Package process runs the agent of a node as a process of this machine that outlives its starter. What belongs to a node is known by
// its directory, which stands in the environment of the agent and of all that it starts; so it is found after whoever started it,
// and the agent too, were killed. Where the system does not tell the environment of processes, as only Linux does, the agent alone is
// found, by the process id in its directory.
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
	"github.com/howdah/howdah/internal/proctree"
	"github.com/howdah/howdah/job/failure"
)

// StopGrace is how long an agent may take to leave in good order.
const StopGrace = 20 * time.Second

// markKey names in the environment the directory of the node to which a process belongs.
const markKey = "HOWDAH_POOL_NODE"

func mark(dir string) string { return markKey + "=" + dir }

func pidFile(dir string) string { return filepath.Join(dir, "agent.pid") }

// Log gives the file into which the agent of a node writes.
func Log(dir string) string { return filepath.Join(dir, "agent.log") }

// gate lets a process do nothing until it is told to.
const gate = `read go && exec "$@" < /dev/null`

// Start starts a node's agent unless it runs already. It ends first what an agent that was killed has left behind. into is called with
// the process before that does anything; nil = nothing is to be done.
func Start(dir string, command, env []string, into func(pid int) error) error {
	if Running(dir) {
		return nil
	}
	proctree.KillMarked(mark(dir))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return failure.New(failure.KindOf(err), "make directory", dir, err)
	}
	log, err := os.OpenFile(Log(dir), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
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
	go func() { _ = cmd.Wait() }() // so that it leaves no zombie; it may outlive us
	return writePID(dir, cmd.Process.Pid)
}

// start starts a process, behind the gate if something is to be done with it first.
func start(cmd *exec.Cmd, into func(pid int) error) error {
	var open io.WriteCloser
	if into != nil {
		var err error
		if open, err = cmd.StdinPipe(); err != nil {
			return failure.New(failure.IO, "start agent", cmd.Path, err)
		}
		defer open.Close() // without a word the gate's process ends
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

// writePID replaces the file, which somebody may be reading. Without it the agent is of no use, since nobody could tell that it runs.
func writePID(dir string, pid int) error {
	aside := pidFile(dir) + ".new"
	err := os.WriteFile(aside, []byte(strconv.Itoa(pid)+"\n"), 0o644)
	if err == nil {
		err = os.Rename(aside, pidFile(dir))
	}
	if err != nil {
		_ = syscall.Kill(pid, syscall.SIGKILL)
		return failure.New(failure.KindOf(err), "write process id to", pidFile(dir), err)
	}
	return nil
}

// PID gives the process of a node's agent, 0 if it does not run.
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

// Running reports whether a node's agent runs.
func Running(dir string) bool { return PID(dir) != 0 }

// Remove ends what belongs to a node, the agent politely, and removes the directory.
func Remove(ctx context.Context, dir string) error {
	if err := End(ctx, dir); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return failure.New(failure.KindOf(err), "remove", dir, err)
	}
	return nil
}

// End ends what belongs to a node, the agent politely.
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
		return failure.New(failure.Timeout, "end the processes of", dir, errors.New("process "+strconv.Itoa(left[0])+" does not end"))
	}
	return nil
}

// Members lists the processes that belong to a node, its agent and what that started.
func Members(dir string) []int { return proctree.Marked(mark(dir)) }
