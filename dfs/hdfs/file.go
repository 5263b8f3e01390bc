package hdfs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"sync/atomic"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
)

// Open implements dfs.FileSystem. If the file is still being written, the reader sees its finished
// blocks. On a cluster without security, it also sees the part of the last block that the writer
// had flushed before Open.
func (f *FS) Open(ctx context.Context, name string) (dfs.File, error) {
	const op = "open"
	if err := begin(ctx, op, name); err != nil {
		return nil, err
	}
	m, err := f.openBlocks(ctx, path.Clean(name))
	if err != nil {
		return nil, wrap(op, name, err)
	}
	return &file{fs: f, ctx: ctx, m: m, search: search{m: m}}, nil
}

type file struct {
	fs     *FS
	ctx    context.Context
	m      *blockMap
	closed atomic.Bool

	// Read and Seek share the fields below.
	pos    int64
	search search
	r      *reader // reads the bytes starting at pos; nil if not open
}

// Size implements dfs.File.
func (f *file) Size() int64 { return f.m.size }

// Read implements io.Reader.
func (f *file) Read(p []byte) (int, error) {
	if err := f.check(); err != nil {
		return 0, err
	}
	for {
		if f.pos >= f.m.size {
			return 0, io.EOF
		}
		if len(p) == 0 {
			return 0, nil
		}
		if f.r == nil {
			r, err := f.search.open(f.ctx, f.pos, f.m.size-f.pos)
			if err != nil {
				return 0, wrap("read", f.m.name, err)
			}
			f.r = r
		}
		n, err := f.r.Read(p)
		f.pos += int64(n)
		if n > 0 {
			f.search.round = 0 // progress was made
			return n, nil
		}
		if err := f.turn(err); err != nil {
			return 0, wrap("read", f.m.name, err)
		}
	}
}

// turn closes the current reader, which has ended or failed with err, so that the next read opens
// another replica or the next block. It returns an error only if ctx has ended.
func (f *file) turn(err error) error {
	r := f.r
	f.drop()
	if err == io.EOF {
		return nil
	}
	return f.search.blame(f.ctx, r.block, r.node, err)
}

func (f *file) drop() {
	if f.r != nil {
		f.r.Close()
		f.r = nil
	}
}

// ReadAt implements io.ReaderAt.
func (f *file) ReadAt(p []byte, off int64) (int, error) {
	if err := f.check(); err != nil {
		return 0, err
	}
	if off < 0 {
		return 0, failure.New(failure.Usage, "read", f.m.name, errors.New("negative offset"))
	}
	s := search{m: f.m}
	n := 0
	for n < len(p) {
		if off+int64(n) >= f.m.size {
			return n, io.EOF
		}
		k, err := f.stretch(&s, p[n:], off+int64(n))
		n += k
		if k > 0 {
			s.round = 0
		}
		if err != nil {
			return n, wrap("read", f.m.name, err)
		}
	}
	return n, nil
}

// stretch fills p with bytes of one replica, starting at off. It stops at the end of the block that
// contains off.
func (f *file) stretch(s *search, p []byte, off int64) (int, error) {
	r, err := s.open(f.ctx, off, min(int64(len(p)), f.m.size-off))
	if err != nil {
		return 0, err
	}
	defer r.Close()
	n, err := io.ReadFull(r, p[:min(int64(len(p)), r.block.Offset+r.block.Block.Size-off)])
	if err != nil && err != io.EOF {
		err = s.blame(f.ctx, r.block, r.node, err)
	}
	return n, err
}

// Seek implements io.Seeker.
func (f *file) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += f.pos
	case io.SeekEnd:
		offset += f.m.size
	}
	if f.closed.Load() || offset < 0 || whence < io.SeekStart || whence > io.SeekEnd {
		return f.pos, failure.New(failure.Usage, "seek in", f.m.name, fs.ErrInvalid)
	}
	if offset != f.pos {
		f.drop()
		f.pos = offset
	}
	return offset, nil
}

// Close implements io.Closer.
func (f *file) Close() error {
	if !f.closed.Swap(true) {
		f.drop()
	}
	return nil
}

func (f *file) check() error {
	if f.closed.Load() {
		return failure.New(failure.Usage, "read", f.m.name, fs.ErrClosed)
	}
	if err := f.ctx.Err(); err != nil {
		return failure.New(failure.KindOf(err), "read", f.m.name, err)
	}
	return nil
}
