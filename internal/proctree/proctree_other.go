//go:build !linux

package proctree

import "syscall"

const (
	bestMode = Group
	rssUnit  = 1 // ru_maxrss counts bytes
)

// waitUntilDead returns immediately, because this system cannot wait for a process without
// collecting its exit status.
func waitUntilDead(int) {}

func sysProcAttr(Mode) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// killStrays does nothing. Without /proc, only the process group can be found.
func (t *Tree) killStrays() {}

func marked(string, int) []int { return nil }

// carries reports whether the process exists, because its environment cannot be read.
func carries(pid int, _ string) bool { return syscall.Kill(pid, 0) == nil }
