//go:build !linux

package apachehadoop

import "syscall"

// childAttributes returns the attributes that put a daemon into its own process group.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
