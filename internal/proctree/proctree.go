// Package proctree starts processes whose whole tree of descendants can be killed, those that called setsid included, and
// whose tree does not outlive this process, however it dies.
//
// On Linux a process becomes the init of a new pid namespace: when it ends, the kernel kills everything below it. Without
// root that needs a user namespace. Where the kernel grants neither, the tree is found by process group, by parentage and by
// a mark in the environment (see Group for what that cannot do).
package proctree

import (
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// Mode says how a tree is held together. A Spawner falls back from one to the next when the kernel refuses.
type Mode uint8

// The modes, best first.
const (
	// Namespace: a pid namespace. Nothing can leave it, nothing survives its init or the Spawner.
	Namespace Mode = iota
	// UserNamespace: the same inside a user namespace, for processes without root.
	UserNamespace
	// Group: a process group. Descendants that left the group are found by their parents and by HOWDAH_TREE in their
	// environment; one that hides from both survives, as does any grandchild when this process is killed with SIGKILL.
	Group
	numModes
)

func (m Mode) String() string {
	return [...]string{"pid namespace", "user and pid namespace", "process group", "unknown"}[min(m, numModes)]
}

// Spec describes a process to start.
type Spec struct {
	Path  string     // of the executable
	Args  []string   // with argv[0]
	Env   []string   // KEY=value; HOWDAH_TREE is added
	Dir   string     // working directory, "" = that of this process
	Files []*os.File // become descriptors 0, 1, 2, 3…; nil entries are closed
}

// Exit says how the first process of a tree ended.
type Exit struct {
	Code   int            // exit code, -1 if it was ended by a signal
	Signal syscall.Signal // 0 if it left by itself
	CPU    time.Duration  // user and system time, including descendants that were waited for
	MaxRSS int64          // bytes, the largest of its descendants included where the system tells
}

// String is a diagnostic for people, in Hadoop's words.
func (e Exit) String() string {
	switch {
	case e.Signal != 0:
		return fmt.Sprintf("Task process was ended by signal %d (%s).", int(e.Signal), e.Signal)
	case e.Code != 0:
		return fmt.Sprintf("Task process exit with nonzero status of %d.", e.Code)
	}
	return "Task process exited."
}

// Tree is a running process with its descendants. Its methods may be called concurrently.
type Tree struct {
	mode Mode
	mark string
	proc *os.Process

	mu   sync.Mutex
	gone bool // the first process was waited for: its number may belong to another one
}

// Pid gives the process id of the first process.
func (t *Tree) Pid() int { return t.proc.Pid }

// Mode tells how the tree is held together.
func (t *Tree) Mode() Mode { return t.mode }

// Signal sends a signal to the process group of the first process. A tree that is gone is no error.
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

// Kill ends the whole tree with SIGKILL.
func (t *Tree) Kill() error {
	err := t.Signal(syscall.SIGKILL)
	if t.mode == Group {
		t.killStrays()
	}
	return err
}

// AwaitFirst returns when the first process has ended, with its descendants left alone; Wait comes after it. Where the system
// cannot tell without collecting the process it returns at once.
func (t *Tree) AwaitFirst() { waitUntilDead(t.proc.Pid) }

// Wait waits for the first process, kills what it left behind and returns when the tree is gone. It is called once.
func (t *Tree) Wait() (Exit, error) {
	waitUntilDead(t.proc.Pid)
	// As long as the first process was not waited for, its number, and so its group's, belongs to nobody else.
	if t.mode == Group {
		_ = t.Kill()
	}
	t.mu.Lock()
	t.gone = true
	t.mu.Unlock()
	state, err := t.proc.Wait()
	if err != nil {
		return Exit{}, failure.New(failure.IO, "wait for process", fmt.Sprint(t.proc.Pid), err)
	}
	return exitOf(state), nil
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
