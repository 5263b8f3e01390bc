package minicluster

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
)

// childAttributes returns the attributes that put a part into its own process group, so that Ctrl-C
// on the terminal does not reach the part. The kernel kills the part when this program ends.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// runsIn reports whether the process pid is a part of the cluster whose configuration directory is
// confDir.
func runsIn(pid int, confDir string) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return err == nil && bytes.Contains(b, []byte("\x00"+confDir+"\x00"))
}
