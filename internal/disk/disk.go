// Package disk changes files on a local disk so that the changes survive a power failure. With it,
// a daemon makes its state durable before any other process sees the state. [OS] is the disk of
// this machine. Tests replace it with a disk that fails or loses changes (package disktest).
package disk

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sync/errgroup"
)

// FS changes a local file system. Readers use package os. A change to a file is certain to survive
// a power failure only after Sync, and a file's name only after SyncDir of its directory.
type FS interface {
	OpenFile(name string, flag int, perm os.FileMode) (File, error)
	Mkdir(name string, perm os.FileMode) error
	Rename(from, to string) error
	Remove(name string) error
	SyncDir(dir string) error
}

// File is an open file of an FS.
type File interface {
	io.Reader
	io.ReaderAt
	io.Writer
	io.WriterAt
	io.Closer
	Name() string
	Stat() (os.FileInfo, error)
	Truncate(size int64) error
	Sync() error
}

// OS is the file system of this machine.
var OS FS = machine{}

type machine struct{}

func (machine) OpenFile(name string, flag int, perm os.FileMode) (File, error) {
	f, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err // a nil interface, not an interface that contains a nil pointer
	}
	return f, nil
}

func (machine) Mkdir(name string, perm os.FileMode) error { return os.Mkdir(name, perm) }
func (machine) Rename(from, to string) error              { return os.Rename(from, to) }
func (machine) Remove(name string) error                  { return os.Remove(name) }

func (machine) SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Replace replaces the content of a file. After a crash at any moment, the file has either the old
// or the new content. After Replace has returned nil, the file has the new content. After a
// failure, Replace tries to remove its temporary file, NAME.tmp. Calls for the same name must not
// overlap.
func Replace(fs FS, name string, content []byte, perm os.FileMode) error {
	tmp := name + ".tmp"
	f, err := fs.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = fs.Rename(tmp, name)
	}
	if err != nil {
		_ = fs.Remove(tmp)
		return err
	}
	return fs.SyncDir(filepath.Dir(name))
}

// Swap replaces the content of a file. At any moment, other processes see either the old or the new
// content. Calls for the same name can overlap. If name is a link, Swap replaces the link. Swap
// does not sync, so a power failure can leave the file incomplete.
func Swap(name string, content []byte, perm os.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Chmod(perm), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// Create is like Replace, but for a file that should not exist yet. It is faster, because it syncs
// the file and the directory concurrently. After a crash before Create has returned, the file can
// be incomplete. If the file exists, Create replaces it.
func Create(fs FS, name string, content []byte, perm os.FileMode) error {
	f, err := fs.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if errors.Is(err, os.ErrExist) {
		return Replace(fs, name, content, perm)
	}
	if err != nil {
		return err
	}
	if _, err = f.Write(content); err == nil {
		var group errgroup.Group
		group.Go(f.Sync)
		group.Go(func() error { return fs.SyncDir(filepath.Dir(name)) })
		err = group.Wait()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = fs.Remove(name)
	}
	return err
}

// MkdirAll is like os.MkdirAll, but also makes the names of the directories that it creates
// durable.
func MkdirAll(fs FS, dir string, perm os.FileMode) error {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		return &os.PathError{Op: "mkdir", Path: dir, Err: os.ErrExist}
	}
	if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	parent := filepath.Dir(dir)
	if err := MkdirAll(fs, parent, perm); err != nil {
		return err
	}
	if err := fs.Mkdir(dir, perm); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return fs.SyncDir(parent)
}

// Free returns the number of bytes available to the current user on the disk that contains a
// directory.
func Free(dir string) (int64, error) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return 0, &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	return int64(st.Bavail) * int64(st.Bsize), nil
}
