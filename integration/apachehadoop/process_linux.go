package apachehadoop

import "syscall"

// childAttributes returns the attributes that put a daemon into its own process group. The kernel
// kills the daemon when the test process dies.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
