//go:build !linux

package local

import (
	"syscall"
	"time"
)

func accessTime(s *syscall.Stat_t) time.Time {
	return time.Unix(int64(s.Atimespec.Sec), int64(s.Atimespec.Nsec))
}

func renameNew(c calls, from, to string) error { return renameCarefully(c, from, to) }

func renameInTree(t *tree, from, to string) error { return renameCarefully(t, from, to) }

func access(name string, mode uint32) error { return syscall.Access(name, mode) }
