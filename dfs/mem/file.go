package mem

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path"
	"time"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
)

// Open implements dfs.FileSystem. The File keeps the content that the file has when Open is called.
func (fs *FS) Open(ctx context.Context, name string) (dfs.File, error) {
	if err := begin(ctx, "open", name); err != nil {
		return nil, err
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	n := fs.find(name)
	switch {
	case n == nil:
		return nil, failure.New(failure.NotFound, "open", name, nil)
	case n.dir():
		return nil, failure.New(failure.Usage, "open", name, errDir)
	}
	n.accessed = time.Now()
	return &file{Reader: bytes.NewReader(n.data), ctx: ctx, name: name}, nil
}

type file struct {
	*bytes.Reader
	ctx    context.Context
	name   string
	closed bool
}

func (f *file) check() error {
	if f.closed {
		return failure.New(failure.Usage, "read", f.name, fs.ErrClosed)
	}
	if err := f.ctx.Err(); err != nil {
		return failure.New(failure.KindOf(err), "read", f.name, err)
	}
	return nil
}

func (f *file) Read(p []byte) (int, error) {
	if err := f.check(); err != nil {
		return 0, err
	}
	return f.Reader.Read(p)
}

func (f *file) ReadAt(p []byte, off int64) (int, error) {
	if err := f.check(); err != nil {
		return 0, err
	}
	return f.Reader.ReadAt(p, off)
}

func (f *file) Size() int64 { return f.Reader.Size() }

func (f *file) Close() error {
	f.closed = true
	return nil
}

// Create implements dfs.FileSystem. An empty new file appears immediately. A replaced file keeps
// its old content until Close.
func (fs *FS) Create(ctx context.Context, name string, o dfs.CreateOptions) (dfs.Writer, error) {
	if err := begin(ctx, "create", name); err != nil {
		return nil, err
	}
	name = path.Clean(name)
	fs.mu.Lock()
	defer fs.mu.Unlock()
	old := fs.find(name)
	switch {
	case old != nil && old.dir():
		return nil, failure.New(failure.Exists, "create", name, errDir)
	case o.Append && old == nil:
		return nil, failure.New(failure.NotFound, "append to", name, nil)
	case o.Append:
		return &writer{fs: fs, ctx: ctx, name: name, n: old, start: len(old.data), appending: true}, nil
	case old != nil && !o.Overwrite:
		return nil, failure.New(failure.Exists, "create", name, nil)
	}
	n := newNode(0o644)
	if o.Mode != 0 {
		n.mode = o.Mode
	}
	if o.BlockSize > 0 {
		n.block = o.BlockSize
	}
	if o.Replication > 0 {
		n.copies = o.Replication
	}
	w := &writer{fs: fs, ctx: ctx, name: name, n: n, replacing: old != nil}
	if !w.replacing {
		parent, err := fs.mkdirs("create", path.Dir(name))
		if err != nil {
			return nil, err
		}
		parent.put(path.Base(name), n)
	}
	return w, nil
}

type writer struct {
	fs        *FS
	ctx       context.Context
	name      string
	n         *node
	start     int // size before the append
	appending bool
	replacing bool // the new node replaces the old one at Close
	done      bool
}

func (w *writer) fail(op string, kind failure.Kind, why error) error {
	return failure.New(kind, op, w.name, why)
}

func (w *writer) Write(p []byte) (int, error) {
	if w.done {
		return 0, w.fail("write", failure.Usage, fs.ErrClosed)
	}
	if err := w.ctx.Err(); err != nil {
		return 0, w.fail("write", failure.KindOf(err), err)
	}
	w.fs.mu.Lock()
	defer w.fs.mu.Unlock()
	w.n.data = append(w.n.data, p...)
	w.n.modified = time.Now()
	return len(p), nil
}

// Sync implements dfs.Writer. It has no effect because memory is never durable.
func (w *writer) Sync() error {
	if w.done {
		return w.fail("sync", failure.Usage, fs.ErrClosed)
	}
	return nil
}

func (w *writer) Close() error {
	if w.done {
		return nil
	}
	w.done = true
	if !w.replacing {
		return nil
	}
	w.fs.mu.Lock()
	defer w.fs.mu.Unlock()
	parent, err := w.fs.mkdirs("create", path.Dir(w.name))
	if err != nil {
		return err
	}
	base := path.Base(w.name)
	if old := parent.children[base]; old != nil && old.dir() {
		return w.fail("create", failure.Exists, errors.New("a directory took the file's name"))
	}
	parent.put(base, w.n)
	return nil
}

func (w *writer) Abort() {
	if w.done {
		return
	}
	w.done = true
	w.fs.mu.Lock()
	defer w.fs.mu.Unlock()
	switch {
	case w.appending: // limit the capacity, because readers may still use the bytes after the new end
		w.n.data = w.n.data[:w.start:w.start]
	case !w.replacing && w.fs.find(w.name) == w.n:
		w.fs.find(path.Dir(w.name)).remove(path.Base(w.name))
	}
}
