package minicluster

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
)

// childAttributes put a part into a process group of its own, out of reach of the terminal's Ctrl-C, and make it die with us.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// runsIn reports whether a process is a part of the cluster with this configuration directory.
func runsIn(pid int, confDir string) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return err == nil && bytes.Contains(b, []byte("\x00"+confDir+"\x00"))
}
