//go:build !linux

package proctree

import (
	"os"
	"syscall"
)

const (
	bestMode = Group
	rssUnit  = 1 // ru_maxrss counts bytes
)

// waitUntilDead returns immediately, because this system cannot wait for a process without
// collecting its exit status.
func waitUntilDead(int) {}

// collect waits for the first process, collects its exit status, and kills the rest of its group. The
// opposite order would kill a process that still runs, because waitUntilDead does not wait.
func (t *Tree) collect() (*os.ProcessState, error) {
	state, err := t.proc.Wait()
	_ = t.Kill()
	t.setGone()
	return state, err
}

func sysProcAttr(Mode) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// confine does nothing, because only Linux can confine a single thread.
func confine() error { return nil }

// keepDescriptors does nothing, because only Linux has users' tasks.
func keepDescriptors() {}

// killStrays does nothing. Without /proc, only the process group can be found.
func (t *Tree) killStrays() {}

func marked(string, int) []int { return nil }

// carries reports whether the process exists, because its environment cannot be read.
func carries(pid int, _ string) bool { return syscall.Kill(pid, 0) == nil }
