//go:build !linux

package proctree

import "syscall"

const (
	bestMode = Group
	rssUnit  = 1 // ru_maxrss counts bytes
)

// waitUntilDead returns at once: the status is collected before strays are looked for.
func waitUntilDead(int) {}

func sysProcAttr(Mode) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// killStrays does nothing: without /proc the process group is all that can be found.
func (t *Tree) killStrays() {}

func marked(string, int) []int { return nil }

// carries cannot tell whose a process is, so it says whether there is one.
func carries(pid int, _ string) bool { return syscall.Kill(pid, 0) == nil }
