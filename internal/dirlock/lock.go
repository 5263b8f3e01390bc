//go:build unix

package dirlock

import (
	"os"
	"syscall"
)

// tryLock locks a file for this process. If another process holds the lock, the error is EWOULDBLOCK.
func tryLock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
