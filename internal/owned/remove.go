package owned

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// RemoveAll removes a file, or a directory and everything below it, as os.RemoveAll does. Unlike
// os.RemoveAll, it uses a small number of descriptors at any depth, so that users cannot use up
// those of a daemon. It stops when ctx is done.
func RemoveAll(ctx context.Context, path string) error {
	if err := os.Remove(path); err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	parent, name := filepath.Split(strings.TrimRight(path, "/"))
	dir, err := os.OpenFile(parent+".", os.O_RDONLY|syscall.O_DIRECTORY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	return RemoveIn(ctx, dir, name)
}

// RemoveIn is like RemoveAll for an entry of an open directory.
//
// RemoveIn first moves nonempty directories that are more than maxOpen levels deep to the top of
// the tree. If it then fails, they stay there under a name that begins with ".removed-". A
// directory that cannot move, such as one on another file system, is an error.
func RemoveIn(ctx context.Context, dir *os.File, name string) error {
	if name == "." || !filepath.IsLocal(name) || strings.Contains(name, "/") {
		return &fs.PathError{Op: "remove", Path: name, Err: syscall.EINVAL}
	}
	return newRemover(ctx).remove(dir, name)
}

func newRemover(ctx context.Context) *remover {
	return &remover{ctx: ctx, prefix: ".removed-" + rand.Text() + "-"}
}

// Empty removes everything in the directory path, as RemoveAll does. It does not follow a link.
func Empty(ctx context.Context, path string) error {
	parent, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer parent.Close()
	return newRemover(ctx).empty(parent, filepath.Base(path))
}

const (
	maxOpen   = 12   // directories that a remover holds open
	batchSize = 1024 // names that it reads from a directory at a time
)

// remover removes one tree. It recurses like os.RemoveAll, but only to a depth of maxOpen.
type remover struct {
	ctx   context.Context
	top   *os.File // the root of the tree
	depth int      // number of open directories

	// Deeper directories move to the top. Their names there are prefix followed by a number.
	prefix string
	moved  int
}

// remove removes an entry of a directory. At depth maxOpen, it moves a directory that is not empty
// to the top.
func (r *remover) remove(parent *os.File, name string) error {
	unlinked := unlink(parent, name, 0)
	switch unlinked {
	case nil, unix.ENOENT:
		return nil
	case unix.EISDIR, unix.EPERM, unix.EACCES: // it may be a directory
	default:
		return failed("unlinkat", parent, name, unlinked)
	}
	deep := r.depth == maxOpen
	var content error
	if !deep {
		content = r.empty(parent, name)
	}
	err := unlink(parent, name, unix.AT_REMOVEDIR)
	switch {
	case err == nil, err == unix.ENOENT:
		return nil
	case err == unix.ENOTDIR, errors.Is(content, unix.ENOTDIR), errors.Is(content, unix.ELOOP): // not a directory
		return failed("unlinkat", parent, name, unlinked)
	case deep && (err == unix.ENOTEMPTY || err == unix.EEXIST):
		return r.move(parent, name)
	case content != nil:
		return content
	}
	return failed("unlinkat", parent, name, err)
}

// empty removes the entries of a directory. For the top, it also removes the directories that have
// moved there. It returns the first error, but removes what it can.
func (r *remover) empty(parent *os.File, name string) error {
	var fd int
	err := retry(func() (err error) {
		fd, err = unix.Openat(int(parent.Fd()), name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		return err
	})
	if err != nil {
		return failed("openat", parent, name, err)
	}
	dir := os.NewFile(uintptr(fd), filepath.Join(parent.Name(), name))
	defer dir.Close()
	r.depth++
	defer func() { r.depth-- }()
	if r.depth > 1 {
		return r.removeEntries(dir)
	}
	r.top = dir
	first := r.removeEntries(dir)
	for n := 1; n <= r.moved && r.ctx.Err() == nil; n++ {
		if err := r.remove(dir, r.prefix+strconv.Itoa(n)); first == nil {
			first = err
		}
	}
	return first
}

func (r *remover) removeEntries(dir *os.File) (first error) {
	for {
		names, err := dir.Readdirnames(batchSize)
		if err != nil && err != io.EOF {
			return err
		}
		left := 0
		for _, name := range names {
			if err := r.ctx.Err(); err != nil {
				return err
			}
			if err := r.remove(dir, name); err != nil {
				left++
				if first == nil {
					first = err
				}
			}
		}
		if len(names) < batchSize {
			return first
		}
		if left == batchSize {
			continue // start after the entries that stay
		}
		if _, err := dir.Seek(0, io.SeekStart); err != nil { // removals can make the system skip entries
			return err
		}
	}
}

// move moves a directory to the top.
func (r *remover) move(parent *os.File, name string) error {
	r.moved++
	err := retry(func() error {
		return unix.Renameat(int(parent.Fd()), name, int(r.top.Fd()), r.prefix+strconv.Itoa(r.moved))
	})
	if err == nil || err == unix.ENOENT {
		return nil
	}
	return failed("renameat", parent, name, err)
}

func unlink(parent *os.File, name string, flags int) error {
	return retry(func() error { return unix.Unlinkat(int(parent.Fd()), name, flags) })
}

// retry repeats a system call that a signal has interrupted.
func retry(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}

func failed(op string, parent *os.File, name string, err error) error {
	return &fs.PathError{Op: op, Path: filepath.Join(parent.Name(), name), Err: err}
}
