//go:build !linux

package minicluster

import "syscall"

// childAttributes put a part into a process group of its own. Only Linux makes it die with us.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// runsIn cannot tell here, so a part that was started by hand is left alone.
func runsIn(int, string) bool { return false }
