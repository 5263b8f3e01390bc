//go:build !linux

package apachehadoop

import "syscall"

// childAttributes put a part into a process group of its own.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
