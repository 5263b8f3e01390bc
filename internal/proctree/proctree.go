// Package proctree starts processes and kills them with their descendants. Except in Group mode,
// this includes descendants that called setsid, and no descendant outlives this process, even if
// this process is killed.
//
// On Linux, a started process becomes the init of a new PID namespace. When that init exits, the
// kernel kills all processes in the namespace. Without root, this requires a user namespace. If the
// kernel permits neither namespace, and on other systems, the package uses Group mode.
package proctree

import (
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// Mode is a way to keep track of a process tree. If the kernel rejects a mode, a Spawner falls back
// to the next one.
type Mode uint8

// The modes are listed in order of preference.
const (
	// Namespace is a PID namespace. No process can leave it, or survive its init process or the
	// Spawner.
	Namespace Mode = iota
	// UserNamespace is a PID namespace inside a user namespace. It does not require root.
	UserNamespace
	// Group is a process group. On Linux, the HOWDAH_TREE environment variable identifies
	// descendants that have left the group. A descendant that has left the group survives if it
	// does not have this variable. On other systems, every such descendant survives. If this
	// process is killed with SIGKILL, all grandchildren survive.
	Group
	numModes
)

func (m Mode) String() string {
	return [...]string{"pid namespace", "user and pid namespace", "process group", "unknown"}[min(m, numModes)]
}

// Spec specifies a process to start.
type Spec struct {
	Path  string     // path of the executable
	Args  []string   // including argv[0]
	Env   []string   // KEY=value; Start adds HOWDAH_TREE
	Dir   string     // working directory; "" means that of this process
	Files []*os.File // descriptors 0, 1, 2, 3…; nil entries are closed
}

// Exit contains the exit status and resource usage of the first process of a tree.
type Exit struct {
	Code   int            // exit code; -1 if a signal ended the process
	Signal syscall.Signal // 0 if no signal ended the process
	CPU    time.Duration  // user and system CPU time, including descendants that the process waited for
	MaxRSS int64          // largest memory use of the process or of a descendant that it waited for, in bytes
}

// String returns a description of the exit status in Hadoop's words.
func (e Exit) String() string {
	switch {
	case e.Signal != 0:
		return fmt.Sprintf("Task process was ended by signal %d (%s).", int(e.Signal), e.Signal)
	case e.Code != 0:
		return fmt.Sprintf("Task process exit with nonzero status of %d.", e.Code)
	}
	return "Task process exited."
}

// Tree is a running process and its descendants. It is safe for concurrent use.
type Tree struct {
	mode Mode
	mark string
	proc *os.Process

	mu   sync.Mutex
	gone bool // Wait has collected the first process, so the kernel can reuse its ID
}

// Pid returns the process ID of the first process.
func (t *Tree) Pid() int { return t.proc.Pid }

// Mode returns the mode of the tree.
func (t *Tree) Mode() Mode { return t.mode }

// Signal sends a signal to the process group of the first process. It returns nil if the tree has
// already ended.
func (t *Tree) Signal(sig syscall.Signal) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.gone {
		return nil
	}
	if err := syscall.Kill(-t.proc.Pid, sig); err != nil && err != syscall.ESRCH {
		return failure.New(failure.KindOf(err), "signal process group", fmt.Sprint(t.proc.Pid), err)
	}
	return nil
}

// Kill kills all processes of the tree with SIGKILL. In Group mode, some descendants can survive.
func (t *Tree) Kill() error {
	err := t.Signal(syscall.SIGKILL)
	if t.mode == Group {
		t.killStrays()
	}
	return err
}

// AwaitFirst waits until the first process has ended. It does not affect the descendants. The
// caller must call Wait afterward. On systems that cannot wait without collecting the exit status,
// AwaitFirst returns immediately.
func (t *Tree) AwaitFirst() { waitUntilDead(t.proc.Pid) }

// Wait waits until the first process has exited, and kills its remaining descendants. Except in
// Group mode, it also waits until they have exited. It must be called exactly once.
func (t *Tree) Wait() (Exit, error) {
	state, err := t.collect()
	if err != nil {
		return Exit{}, failure.New(failure.IO, "wait for process", fmt.Sprint(t.proc.Pid), err)
	}
	return exitOf(state), nil
}

// setGone keeps Signal and Kill from using the first process's ID.
func (t *Tree) setGone() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.gone = true
}

func exitOf(state *os.ProcessState) Exit {
	e := Exit{Code: state.ExitCode(), CPU: state.UserTime() + state.SystemTime()}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		e.Signal = ws.Signal()
	}
	if ru, ok := state.SysUsage().(*syscall.Rusage); ok {
		e.MaxRSS = ru.Maxrss * rssUnit
	}
	return e
}
