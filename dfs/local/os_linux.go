package local

import (
	"errors"
	"os"
	"path"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func accessTime(s *syscall.Stat_t) time.Time { return time.Unix(int64(s.Atim.Sec), int64(s.Atim.Nsec)) }

// renameNew renames a file or directory without replacing an existing target. If the file system
// does not support RENAME_NOREPLACE, it calls renameCarefully.
func renameNew(c calls, from, to string) error {
	return renameAt(c, unix.AT_FDCWD, from, unix.AT_FDCWD, to, from, to)
}

// renameInTree works like renameNew for paths below t's directory. os.Root opens the parent
// directories of both paths. The kernel does not follow links in the last elements of the paths.
func renameInTree(t *tree, from, to string) error {
	dirs := [2]*os.File{}
	for i, name := range []string{from, to} {
		dir, err := t.parent(name)
		if err != nil {
			return err
		}
		defer dir.Close()
		dirs[i] = dir
	}
	return renameAt(t, int(dirs[0].Fd()), path.Base(from), int(dirs[1].Fd()), path.Base(to), from, to)
}

func renameAt(c calls, fromDir int, fromBase string, toDir int, toBase, from, to string) error {
	err := unix.Renameat2(fromDir, fromBase, toDir, toBase, unix.RENAME_NOREPLACE)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) {
		return renameCarefully(c, from, to)
	}
	return err
}

// access checks the permissions of the calling thread's user, unlike access(2), which checks those of
// the user who started the process.
func access(name string, mode uint32) error {
	return unix.Faccessat(unix.AT_FDCWD, name, mode, unix.AT_EACCESS)
}
