package local

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"syscall"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
)

// Open implements dfs.FileSystem.
func (l *FS) Open(ctx context.Context, name string) (dfs.File, error) {
	if err := begin(ctx, "open", name); err != nil {
		return nil, err
	}
	f := &file{ctx: ctx, name: name}
	err := l.do(func(c calls) error { return f.open(c, l.guarded()) })
	if err != nil {
		return nil, wrap("open", name, err)
	}
	return f, nil
}

// open opens a regular file. Callers set guarded if other users might replace the file with a pipe
// after the check. In that case, open does not wait for a process to write to the pipe.
func (f *file) open(c calls, guarded bool) error {
	i, err := c.Stat(f.name)
	if err == nil {
		err = regular("open", f.name, i)
	}
	if err != nil {
		return err
	}
	flag := os.O_RDONLY
	if guarded {
		flag |= syscall.O_NONBLOCK
	}
	if f.f, err = c.OpenFile(f.name, flag, 0); err != nil {
		return err
	}
	if i, err = f.f.Stat(); err == nil {
		err = regular("open", f.name, i)
	}
	if err != nil {
		f.f.Close()
		return err
	}
	f.size = i.Size()
	return nil
}

type file struct {
	f    *os.File
	ctx  context.Context
	name string
	size int64
}

// check returns the error of ctx if ctx has ended. An operation on a local disk cannot be
// interrupted.
func (f *file) check() error {
	if err := f.ctx.Err(); err != nil {
		return failure.New(failure.KindOf(err), "read", f.name, err)
	}
	return nil
}

func (f *file) result(n int, err error) (int, error) {
	if err != nil && err != io.EOF {
		err = wrap("read", f.name, err)
	}
	return n, err
}

func (f *file) Read(p []byte) (int, error) {
	if err := f.check(); err != nil {
		return 0, err
	}
	return f.result(f.f.Read(p))
}

func (f *file) ReadAt(p []byte, off int64) (int, error) {
	if err := f.check(); err != nil {
		return 0, err
	}
	return f.result(f.f.ReadAt(p, off))
}

func (f *file) Seek(offset int64, whence int) (int64, error) {
	n, err := f.f.Seek(offset, whence)
	return n, wrap("seek in", f.name, err)
}

func (f *file) Size() int64 { return f.size }

func (f *file) Close() error {
	err := f.f.Close()
	if errors.Is(err, fs.ErrClosed) {
		return nil
	}
	return wrap("close", f.name, err)
}

// buffer is the size in bytes of the write buffer, which makes small writes cheap. Large writes
// bypass it.
const buffer = 64 << 10

// Create implements dfs.FileSystem. The process's umask applies to Mode. With Append, Create opens
// an existing file at its end.
func (l *FS) Create(ctx context.Context, name string, o dfs.CreateOptions) (dfs.Writer, error) {
	if err := begin(ctx, "create", name); err != nil {
		return nil, err
	}
	w := &writer{l: l, ctx: ctx, name: path.Clean(name)}
	op, start := "create", w.create
	if o.Append {
		op, start = "append to", w.append
	}
	if err := l.do(func(c calls) error { return start(c, o) }); err != nil {
		return nil, wrap(op, name, err)
	}
	w.b = bufio.NewWriterSize(w.f, buffer)
	return w, nil
}

func (w *writer) create(c calls, o dfs.CreateOptions) error {
	mode := fs.FileMode(o.Mode & 0o777)
	if mode == 0 {
		mode = 0o666
	}
	w.written = w.name
	var err error
	old, statErr := c.Stat(w.name)
	switch {
	case statErr != nil || !o.Overwrite:
		w.f, err = createNew(c, w.name, mode)
	case old.IsDir():
		return failure.New(failure.Exists, "create", w.name, syscall.EISDIR)
	default:
		if err = regular("create", w.name, old); err != nil {
			return err
		}
		if o.Mode == 0 {
			mode = old.Mode().Perm()
		}
		w.name = c.target(w.name)
		w.written = path.Join(path.Dir(w.name), fmt.Sprintf(".%.200s.%016x.tmp", path.Base(w.name), rand.Uint64()))
		w.f, err = c.OpenFile(w.written, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	}
	return err
}

// createNew creates a file and its missing parents. The file must not exist.
func createNew(c calls, name string, mode fs.FileMode) (*os.File, error) {
	const flags = os.O_WRONLY | os.O_CREATE | os.O_EXCL
	f, err := c.OpenFile(name, flags, mode)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		if err := mkdir(c, "create", path.Dir(name)); err != nil {
			return nil, err
		}
		return c.OpenFile(name, flags, mode)
	}
	return f, err
}

func (w *writer) append(c calls, _ dfs.CreateOptions) error {
	i, err := c.Stat(w.name)
	if err == nil {
		err = regular("append to", w.name, i)
	}
	if err == nil {
		w.f, err = c.OpenFile(w.name, os.O_WRONLY|os.O_APPEND, 0)
	}
	if err != nil {
		return err
	}
	w.written, w.appending, w.start = w.name, true, i.Size()
	return nil
}

type writer struct {
	l         *FS
	ctx       context.Context
	f         *os.File
	b         *bufio.Writer
	name      string // final name of the file
	written   string // path until Close: name, or a temporary file next to it
	appending bool
	start     int64 // size before the append
	done      bool
}

func (w *writer) Write(p []byte) (int, error) {
	if w.done {
		return 0, wrap("write", w.name, fs.ErrClosed)
	}
	if err := w.ctx.Err(); err != nil {
		return 0, failure.New(failure.KindOf(err), "write", w.name, err)
	}
	n, err := w.b.Write(p)
	return n, wrap("write", w.name, err)
}

func (w *writer) Sync() error {
	if w.done {
		return wrap("sync", w.name, fs.ErrClosed)
	}
	if err := w.b.Flush(); err != nil {
		return wrap("write", w.name, err)
	}
	return wrap("sync", w.name, w.f.Sync())
}

// Close completes the file. On failure, it does what Abort does.
func (w *writer) Close() error {
	if w.done {
		return nil
	}
	if err := w.b.Flush(); err != nil {
		w.Abort()
		return wrap("write", w.name, err)
	}
	if err := w.f.Close(); err != nil {
		w.Abort()
		return wrap("close", w.name, err)
	}
	if w.written != w.name {
		if err := w.l.do(func(c calls) error { return c.Rename(w.written, w.name) }); err != nil {
			w.Abort()
			return wrap("create", w.name, err)
		}
	}
	w.done = true
	return nil
}

func (w *writer) Abort() {
	if w.done {
		return
	}
	w.done = true
	if w.appending {
		w.f.Truncate(w.start)
		w.f.Close()
		return
	}
	// Another process may have moved the file and created a new one at its path.
	mine, err := w.f.Stat()
	w.f.Close()
	_ = w.l.do(func(c calls) error {
		if there, lerr := c.Lstat(w.written); lerr != nil || err == nil && !os.SameFile(mine, there) {
			return nil
		}
		return c.Remove(w.written)
	})
}
