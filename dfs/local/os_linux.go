package local

import (
	"errors"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func accessTime(s *syscall.Stat_t) time.Time { return time.Unix(int64(s.Atim.Sec), int64(s.Atim.Nsec)) }

// renameNew renames without replacing an existing target. If the file system does not support
// RENAME_NOREPLACE, it calls renameCarefully.
func renameNew(from, to string) error {
	err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) {
		return renameCarefully(from, to)
	}
	return err
}
