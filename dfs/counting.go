package dfs

import (
	"context"
	"sync"
	"sync/atomic"
)

// Ops counts the calls to file systems and the bytes that they transfer, as Hadoop's file-system
// counters do.
type Ops struct {
	BytesRead, BytesWritten atomic.Int64
	// ReadOps, LargeReadOps, and WriteOps are numbers of calls. In Hadoop, LargeReadOps counts
	// recursive listings. FileSystem has no recursive listing, so LargeReadOps stays 0.
	ReadOps, LargeReadOps, WriteOps atomic.Int64
}

// Counting returns a file system that forwards every call to fs. It counts the calls and the
// transferred bytes in ops. It does not count calls to Scheme, URI, or Locations.
func Counting(fs FileSystem, ops *Ops) FileSystem { return counting{fs, ops} }

// Plain returns the file system that Counting wrapped, or fs itself if Counting did not create it.
// Counting hides the optional interfaces of a file system, such as Checksummer, so callers must
// check Plain(fs) for them.
func Plain(fs FileSystem) FileSystem {
	if c, ok := fs.(counting); ok {
		return c.FileSystem
	}
	return fs
}

// A CountingResolver counts the calls to all file systems that it returns, and the bytes that they
// transfer. It keeps one Ops per scheme.
type CountingResolver struct {
	r   Resolver
	mu  sync.Mutex
	ops map[string]*Ops
}

// NewCountingResolver returns a CountingResolver that wraps r.
func NewCountingResolver(r Resolver) *CountingResolver {
	return &CountingResolver{r: r, ops: map[string]*Ops{}}
}

// Resolve implements Resolver.
func (c *CountingResolver) Resolve(name string) (FileSystem, string, error) {
	fs, p, err := c.r.Resolve(name)
	if err != nil {
		return nil, "", err
	}
	return Counting(fs, c.Ops(fs.Scheme())), p, nil
}

// Ops returns the counts for the given scheme. They change while the file systems are in use.
func (c *CountingResolver) Ops(scheme string) *Ops {
	c.mu.Lock()
	defer c.mu.Unlock()
	o := c.ops[scheme]
	if o == nil {
		o = &Ops{}
		c.ops[scheme] = o
	}
	return o
}

type counting struct {
	FileSystem
	ops *Ops
}

func (c counting) Open(ctx context.Context, name string) (File, error) {
	c.ops.ReadOps.Add(1)
	f, err := c.FileSystem.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	return countingFile{f, c.ops}, nil
}

func (c counting) Create(ctx context.Context, name string, o CreateOptions) (Writer, error) {
	c.ops.WriteOps.Add(1)
	w, err := c.FileSystem.Create(ctx, name, o)
	if err != nil {
		return nil, err
	}
	return countingWriter{w, c.ops}, nil
}

func (c counting) Stat(ctx context.Context, name string) (Info, error) {
	c.ops.ReadOps.Add(1)
	return c.FileSystem.Stat(ctx, name)
}

func (c counting) List(ctx context.Context, name string) ([]Info, error) {
	c.ops.ReadOps.Add(1)
	return c.FileSystem.List(ctx, name)
}

func (c counting) Mkdir(ctx context.Context, name string) error {
	c.ops.WriteOps.Add(1)
	return c.FileSystem.Mkdir(ctx, name)
}

func (c counting) Rename(ctx context.Context, from, to string) error {
	c.ops.WriteOps.Add(1)
	return c.FileSystem.Rename(ctx, from, to)
}

func (c counting) Delete(ctx context.Context, name string, recursive bool) error {
	c.ops.WriteOps.Add(1)
	return c.FileSystem.Delete(ctx, name, recursive)
}

func (c counting) SetMeta(ctx context.Context, name string, m Meta) error {
	c.ops.WriteOps.Add(1)
	return c.FileSystem.SetMeta(ctx, name, m)
}

type countingFile struct {
	File
	ops *Ops
}

func (f countingFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	f.ops.BytesRead.Add(int64(n))
	return n, err
}

func (f countingFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.File.ReadAt(p, off)
	f.ops.BytesRead.Add(int64(n))
	return n, err
}

type countingWriter struct {
	Writer
	ops *Ops
}

func (w countingWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.ops.BytesWritten.Add(int64(n))
	return n, err
}
