package local

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/howdah/howdah/internal/owned"
)

// calls contains the operating system calls that take paths. The exported methods work like the
// functions of the same names in package os.
type calls interface {
	OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error)
	Stat(name string) (fs.FileInfo, error)
	Lstat(name string) (fs.FileInfo, error)
	MkdirAll(name string, mode fs.FileMode) error
	Rename(from, to string) error
	Link(from, to string) error
	Remove(name string) error
	Chown(name string, uid, gid int) error
	Chmod(name string, mode fs.FileMode) error
	Chtimes(name string, accessed, modified time.Time) error
	// removeAll removes a tree. Its number of open files does not depend on the depth of the tree.
	removeAll(ctx context.Context, name string) error
	// renameNew renames a file or directory. It returns an error if the target exists.
	renameNew(from, to string) error
	// target returns the path of the file that an overwrite of name replaces.
	target(name string) string
}

// system implements calls for all paths on the machine.
type system struct{}

func (system) OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, mode)
}
func (system) Stat(name string) (fs.FileInfo, error)        { return os.Stat(name) }
func (system) Lstat(name string) (fs.FileInfo, error)       { return os.Lstat(name) }
func (system) MkdirAll(name string, mode fs.FileMode) error { return os.MkdirAll(name, mode) }
func (system) Rename(from, to string) error                 { return os.Rename(from, to) }
func (system) Link(from, to string) error                   { return os.Link(from, to) }
func (system) Remove(name string) error                     { return os.Remove(name) }
func (system) Chown(name string, uid, gid int) error        { return os.Chown(name, uid, gid) }
func (system) Chmod(name string, mode fs.FileMode) error    { return os.Chmod(name, mode) }
func (system) Chtimes(name string, accessed, mod time.Time) error {
	return os.Chtimes(name, accessed, mod)
}
func (system) removeAll(ctx context.Context, name string) error { return owned.RemoveAll(ctx, name) }
func (s system) renameNew(from, to string) error                { return renameNew(s, from, to) }
func (system) target(name string) string {
	if resolved, err := filepath.EvalSymlinks(name); err == nil {
		return resolved
	}
	return name
}
