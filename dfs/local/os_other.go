//go:build !linux

package local

import (
	"syscall"
	"time"
)

func accessTime(s *syscall.Stat_t) time.Time {
	return time.Unix(int64(s.Atimespec.Sec), int64(s.Atimespec.Nsec))
}

func renameNew(from, to string) error { return renameCarefully(from, to) }
