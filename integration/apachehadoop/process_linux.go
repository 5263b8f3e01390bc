package apachehadoop

import "syscall"

// childAttributes put a part into a process group of its own and make it die with the test.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
