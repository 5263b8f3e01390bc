// Package mem is an in-memory file system for tests. Start with New.
package mem

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/job/failure"
)

const defaultBlock = 128 << 20 // in bytes, as in HDFS

// FS is an in-memory file system. It is safe for concurrent use.
type FS struct {
	mu   sync.RWMutex
	root *node
}

// node is a file or a directory. The mu of the FS guards it. A file's bytes are never overwritten,
// so a reader may keep the slice that it got at Open.
type node struct {
	children map[string]*node // of a directory
	data     []byte
	mode     uint32
	modified time.Time
	accessed time.Time
	owner    string
	group    string
	block    int64
	copies   int
}

func (n *node) dir() bool { return n.children != nil }

// New returns an empty file system.
func New() *FS {
	fs := &FS{}
	fs.root = newDir()
	return fs
}

func newNode(mode uint32) *node {
	now := time.Now()
	return &node{mode: mode, modified: now, accessed: now, owner: passwd.Me(), group: "supergroup",
		block: defaultBlock, copies: 1}
}

func newDir() *node {
	n := newNode(0o755)
	n.children = map[string]*node{}
	return n
}

// Scheme implements dfs.FileSystem.
func (fs *FS) Scheme() string { return "mem" }

// URI implements dfs.FileSystem.
func (fs *FS) URI() string { return "mem:" }

var (
	errDir      = errors.New("is a directory")
	errNotDir   = errors.New("is not a directory")
	errNotEmpty = errors.New("is not empty")
)

// begin returns an error if ctx has ended or name is invalid.
func begin(ctx context.Context, op, name string) error {
	if err := ctx.Err(); err != nil {
		return failure.New(failure.KindOf(err), op, name, err)
	}
	if !path.IsAbs(name) || strings.ContainsRune(name, 0) {
		return failure.New(failure.Usage, op, name, errors.New("the path must be absolute and must not contain zero bytes"))
	}
	return nil
}

// find returns the node at name, or nil if there is none.
func (fs *FS) find(name string) *node {
	n := fs.root
	for e := range strings.SplitSeq(strings.Trim(path.Clean(name), "/"), "/") {
		if e == "" {
			return n
		}
		if n = n.children[e]; n == nil {
			return nil
		}
	}
	return n
}

// mkdirs creates a directory and its missing parents, and returns the directory.
func (fs *FS) mkdirs(op, name string) (*node, error) {
	n := fs.root
	for e := range strings.SplitSeq(strings.Trim(path.Clean(name), "/"), "/") {
		if e == "" {
			return n, nil
		}
		next := n.children[e]
		if next == nil {
			next = newDir()
			n.put(e, next)
		}
		if !next.dir() {
			return nil, failure.New(failure.Exists, op, name, errNotDir)
		}
		n = next
	}
	return n, nil
}

func (n *node) put(name string, child *node) {
	n.children[name] = child
	n.modified = time.Now()
}

func (n *node) remove(name string) {
	delete(n.children, name)
	n.modified = time.Now()
}

func (n *node) info(name string) dfs.Info {
	return dfs.Info{
		Path: name, Size: int64(len(n.data)), Dir: n.dir(), Mode: n.mode, Owner: n.owner, Group: n.group,
		ModTime: n.modified, AccessTime: n.accessed, BlockSize: n.block, Replication: n.copies,
	}
}

// Stat implements dfs.FileSystem.
func (fs *FS) Stat(ctx context.Context, name string) (dfs.Info, error) {
	if err := begin(ctx, "stat", name); err != nil {
		return dfs.Info{}, err
	}
	fs.mu.RLock()
	defer fs.mu.RUnlock()
	n := fs.find(name)
	if n == nil {
		return dfs.Info{}, failure.New(failure.NotFound, "stat", name, nil)
	}
	return n.info(path.Clean(name)), nil
}

// List implements dfs.FileSystem.
func (fs *FS) List(ctx context.Context, name string) ([]dfs.Info, error) {
	if err := begin(ctx, "list", name); err != nil {
		return nil, err
	}
	fs.mu.RLock()
	defer fs.mu.RUnlock()
	n := fs.find(name)
	switch {
	case n == nil:
		return nil, failure.New(failure.NotFound, "list", name, nil)
	case !n.dir():
		return []dfs.Info{n.info(path.Clean(name))}, nil
	}
	out := make([]dfs.Info, 0, len(n.children))
	for e, child := range n.children {
		out = append(out, child.info(path.Join(name, e)))
	}
	slices.SortFunc(out, func(a, b dfs.Info) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// Mkdir implements dfs.FileSystem.
func (fs *FS) Mkdir(ctx context.Context, name string) error {
	if err := begin(ctx, "mkdir", name); err != nil {
		return err
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	_, err := fs.mkdirs("mkdir", name)
	return err
}

// Rename implements dfs.FileSystem.
func (fs *FS) Rename(ctx context.Context, from, to string) error {
	for _, name := range []string{from, to} {
		if err := begin(ctx, "rename", name); err != nil {
			return err
		}
	}
	from, to = path.Clean(from), path.Clean(to)
	fs.mu.Lock()
	defer fs.mu.Unlock()
	source, parent := fs.find(from), fs.find(path.Dir(to))
	fail := func(kind failure.Kind, why error) error {
		return failure.New(kind, "rename", from+" to "+to, why)
	}
	switch {
	case source == nil:
		return fail(failure.NotFound, nil)
	case parent == nil:
		return fail(failure.NotFound, errors.New("the target's directory does not exist"))
	case !parent.dir():
		return fail(failure.Exists, errNotDir)
	case fs.find(to) != nil:
		return fail(failure.Exists, nil)
	case from == "/" || strings.HasPrefix(to, from+"/"):
		return fail(failure.Usage, errors.New("a directory cannot be moved into itself"))
	}
	fs.find(path.Dir(from)).remove(path.Base(from))
	parent.put(path.Base(to), source)
	return nil
}

// Delete implements dfs.FileSystem.
func (fs *FS) Delete(ctx context.Context, name string, recursive bool) error {
	if err := begin(ctx, "delete", name); err != nil {
		return err
	}
	name = path.Clean(name)
	if name == "/" {
		return failure.New(failure.Usage, "delete", name, errors.New("the root cannot be deleted"))
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	n := fs.find(name)
	if n == nil {
		return nil
	}
	if len(n.children) > 0 && !recursive {
		return failure.New(failure.Exists, "delete", name, errNotEmpty)
	}
	fs.find(path.Dir(name)).remove(path.Base(name))
	return nil
}

// Locations implements dfs.FileSystem.
func (fs *FS) Locations(ctx context.Context, name string, off, n int64) ([]dfs.Block, error) {
	i, err := fs.Stat(ctx, name)
	if err != nil {
		return nil, err
	}
	n = min(n, i.Size-off)
	if i.Dir || off < 0 || n <= 0 {
		return nil, nil
	}
	return []dfs.Block{{Offset: off, Length: n}}, nil
}

// SetMeta implements dfs.FileSystem.
func (fs *FS) SetMeta(ctx context.Context, name string, m dfs.Meta) error {
	if err := begin(ctx, "change", name); err != nil {
		return err
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	n := fs.find(name)
	if n == nil {
		return failure.New(failure.NotFound, "change", name, nil)
	}
	set(&n.mode, m.Mode)
	set(&n.owner, m.Owner)
	set(&n.group, m.Group)
	set(&n.modified, m.ModTime)
	set(&n.accessed, m.AccessTime)
	set(&n.copies, m.Replication)
	return nil
}

func set[T any](dst, src *T) {
	if src != nil {
		*dst = *src
	}
}
