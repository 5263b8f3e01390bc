package local

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"time"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/owned"
	"github.com/howdah/howdah/job/failure"
)

// confined is a file system that is restricted to a directory. Persister is its only optional
// interface.
type confined struct {
	dfs.FileSystem
	dfs.Persister
}

// Within implements dfs.Confiner. It opens the directory for each operation and never leaves it,
// even if other processes create links in the meantime.
func (l *FS) Within(dir string) dfs.FileSystem {
	in := *l
	in.top = path.Clean(dir)
	return confined{&in, &in}
}

// Within implements dfs.Confiner.
func (l *Checksummed) Within(dir string) dfs.FileSystem {
	in := *l.FS
	in.top = path.Clean(dir)
	c := &Checksummed{FS: &in, write: l.write, chunk: l.chunk}
	return confined{c, c}
}

// errLink explains why a confined file system cannot use its directory.
var errLink = errors.New("it is a symbolic link or was replaced")

// escapes is the error text that package os uses for a path that leads out of an os.Root.
const escapes = "path escapes from parent"

var errEscapes = errors.New("it leads out of its directory through a symbolic link")

// leavesTree reports whether err was caused by a link that leads out of a tree.
func leavesTree(err error) bool {
	var p *fs.PathError
	return errors.As(err, &p) && p.Err.Error() == escapes
}

// tree implements calls for paths in one directory. It does not follow links that lead out of the
// directory.
type tree struct {
	*os.Root
	top string
}

// openTree opens a directory that must not be a symbolic link. Links in the path to the directory
// work as usual.
func openTree(top string) (*tree, error) {
	// The final dot rejects a named pipe, which would block the open.
	r, err := os.OpenRoot(top + "/.")
	if err != nil {
		return nil, err
	}
	opened, err := r.Stat(".")
	if err == nil {
		var named fs.FileInfo
		if named, err = os.Lstat(top); err == nil && !os.SameFile(opened, named) {
			err = failure.New(failure.Permission, "use directory", top, errLink).Fix("remove the link and run the job again")
		}
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return &tree{r, top}, nil
}

// rel converts an absolute path to a path relative to t's directory. It returns a path outside the
// directory unchanged, and os.Root rejects it.
func (t *tree) rel(name string) string {
	switch below, ok := strings.CutPrefix(path.Clean(name), t.top+"/"); {
	case ok:
		return below
	case path.Clean(name) == t.top:
		return "."
	}
	return name
}

func (t *tree) OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error) {
	return t.Root.OpenFile(t.rel(name), flag, mode)
}
func (t *tree) Stat(name string) (fs.FileInfo, error)  { return t.Root.Stat(t.rel(name)) }
func (t *tree) Lstat(name string) (fs.FileInfo, error) { return t.Root.Lstat(t.rel(name)) }
func (t *tree) MkdirAll(name string, mode fs.FileMode) error {
	return t.Root.MkdirAll(t.rel(name), mode)
}
func (t *tree) Rename(from, to string) error              { return t.Root.Rename(t.rel(from), t.rel(to)) }
func (t *tree) Link(from, to string) error                { return t.Root.Link(t.rel(from), t.rel(to)) }
func (t *tree) Remove(name string) error                  { return t.Root.Remove(t.rel(name)) }
func (t *tree) Chown(name string, uid, gid int) error     { return t.Root.Chown(t.rel(name), uid, gid) }
func (t *tree) Chmod(name string, mode fs.FileMode) error { return t.Root.Chmod(t.rel(name), mode) }
func (t *tree) Chtimes(name string, accessed, modified time.Time) error {
	return t.Root.Chtimes(t.rel(name), accessed, modified)
}

// parent opens the directory that contains name.
func (t *tree) parent(name string) (*os.File, error) {
	return t.Root.OpenFile(path.Dir(t.rel(name)), os.O_RDONLY|syscall.O_DIRECTORY, 0)
}

func (t *tree) removeAll(ctx context.Context, name string) error {
	dir, err := t.parent(name)
	if err != nil {
		return err
	}
	defer dir.Close()
	return owned.RemoveIn(ctx, dir, path.Base(t.rel(name)))
}

func (t *tree) renameNew(from, to string) error { return renameInTree(t, from, to) }

// target returns name itself because an overwrite replaces a link.
func (t *tree) target(name string) string { return name }
