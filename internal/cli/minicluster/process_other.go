//go:build !linux

package minicluster

import "syscall"

// childAttributes returns the attributes that put a part into its own process group. Unlike Linux,
// this system does not kill the part when this program ends.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// runsIn is implemented only on Linux. Here it returns false, so parts that were started by hand keep
// running.
func runsIn(int, string) bool { return false }
