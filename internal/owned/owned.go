// Package owned checks who can change the files that a daemon reads and writes. It opens files in
// directories that other users can write to, such as the logs of a task that runs as its job's
// user, and removes such directories. It also checks the daemon's own directories.
package owned

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/job/failure"
)

// Open opens a regular file in dir for reading, if the file belongs to the directory's owner. It
// follows symbolic links in the path dir. It returns an error if name is a symbolic link, or a hard
// link to another user's file. It does not wait for the other end of a pipe. The directory's owner
// can therefore not make this process read a file that the owner cannot read. For a missing file,
// the error wraps fs.ErrNotExist. For a file that Open rejects, it is of kind Permission.
func Open(dir, name string) (*os.File, error) {
	path := filepath.Join(dir, name)
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ELOOP) {
		return nil, refuse(path, "it is a link")
	}
	if err != nil {
		return nil, err
	}
	if err := check(f, dir); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func check(f *os.File, dir string) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return refuse(f.Name(), "it is not a regular file")
	}
	parent, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if user(info) != user(parent) {
		return refuse(f.Name(), "it does not belong to the owner of its directory")
	}
	return nil
}

// CheckDir returns an error of kind Permission unless dir is a directory of this process's user to
// which no other user can write. It also rejects a symbolic link to such a directory. If dir does
// not exist, the error is of kind NotFound.
func CheckDir(dir string) error {
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return failure.New(failure.KindOf(err), "check", dir, err)
	case !info.IsDir():
		return refuse(dir, "it is not a directory")
	case user(info) != uint32(os.Geteuid()):
		return refuse(dir, "it belongs to user "+passwd.User(int(user(info))))
	case info.Mode().Perm()&0o022 != 0:
		return refuse(dir, "other users can write to it")
	}
	return nil
}

func refuse(path, why string) error {
	return failure.New(failure.Permission, "use", path, errors.New(why))
}

// user returns the ID of the user who owns a file.
func user(info fs.FileInfo) uint32 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Uid
	}
	return 0
}
