package local

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/account"
	"github.com/howdah/howdah/job/failure"
)

// Checksummed is the local file system with checksum files. List omits .NAME.crc if it also lists
// the file NAME. Rename and Delete include checksum files. Truncating or appending to a file
// removes its checksums, and so does overwriting it without writing new ones. Except in List, a
// file whose name is .NAME.crc is an ordinary file if it does not start with the header of a
// checksum file.
type Checksummed struct {
	*FS
	write bool
	chunk int
}

// WithChecksums returns the local file system that conf.FileChecksums selects: an *FS or a
// *Checksummed.
func WithChecksums(c *conf.Config) (dfs.FileSystem, error) {
	l, err := New(c)
	if err != nil {
		return nil, err
	}
	chunk, err := conf.FileBytesPerChecksum.Get(c)
	if err != nil {
		return nil, err
	}
	how, err := conf.FileChecksums.Get(c)
	if err != nil {
		return nil, err
	}
	if how == "none" {
		return l, nil
	}
	return &Checksummed{FS: l, write: how == "write", chunk: int(chunk)}, nil
}

// The magic at the start of a checksum file. The size of a chunk follows it.
const (
	sumMagic = "crc\x00"
	sumHead  = 8
	maxChunk = 16 << 20
)

// As implements dfs.Impersonator.
func (l *Checksummed) As(user string) (dfs.FileSystem, error) {
	as := *l.FS
	as.user = user
	return &Checksummed{FS: &as, write: l.write, chunk: l.chunk}, account.Check(user)
}

func isSums(name string) bool {
	base := path.Base(name)
	return strings.HasPrefix(base, ".") && strings.HasSuffix(base, ".crc")
}

func sumsOf(name string) string {
	dir, base := path.Split(path.Clean(name))
	return dir + "." + base + ".crc"
}

// fileOf is the inverse of sumsOf.
func fileOf(sums string) string {
	dir, base := path.Split(sums)
	return dir + strings.TrimSuffix(base[1:], ".crc")
}

// sums opens the checksum file of the given file and returns it with the size of its chunks. It
// returns nil if the file has no checksums.
func (l *Checksummed) sums(ctx context.Context, name string) (sums *file, chunk int64, err error) {
	f, err := l.FS.Open(ctx, sumsOf(name))
	if failure.Is(err, failure.NotFound) || failure.Is(err, failure.Usage) { // Usage: a directory
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	var b [sumHead]byte
	n, err := f.ReadAt(b[:], 0)
	if n == sumHead && string(b[:4]) == sumMagic {
		return f.(*file), int64(int32(binary.BigEndian.Uint32(b[4:]))), nil
	}
	if err == io.EOF {
		err = nil
	}
	return nil, 0, errors.Join(err, f.Close())
}

func (l *Checksummed) drop(ctx context.Context, name string) error {
	sums, _, err := l.sums(ctx, name)
	if sums == nil || err != nil {
		return err
	}
	return errors.Join(sums.Close(), l.FS.Delete(ctx, sumsOf(name), false))
}

// Open implements dfs.FileSystem. Reads of bytes that do not match their checksum return an error
// of kind Corrupt.
func (l *Checksummed) Open(ctx context.Context, name string) (dfs.File, error) {
	f, err := l.FS.Open(ctx, name)
	if err != nil || isSums(name) {
		return f, err
	}
	sums, chunk, err := l.sums(ctx, name)
	if sums == nil && err == nil {
		return f, nil
	}
	if err == nil {
		if err = fits(sums, chunk, f.Size()); err == nil {
			return &verified{File: f, sums: sums, name: name, chunk: int(chunk)}, nil
		}
		_ = sums.Close() // keep the first error
	}
	_ = f.Close()
	return nil, err
}

// fits returns an error if the number of checksums does not match the file's size or if their chunk
// size is invalid.
func fits(sums *file, chunk, size int64) error {
	why := error(nil)
	if chunk < 1 || chunk > maxChunk {
		why = fmt.Errorf("its checksums cover %d bytes each", chunk)
	} else if have, want := (sums.Size()-sumHead)/4, (size+chunk-1)/chunk; have != want {
		why = fmt.Errorf("it has %d checksums, but the file has %d bytes", have, size)
	}
	if why == nil {
		return nil
	}
	return failure.New(failure.Corrupt, "read checksums", sums.name, why).
		Fix("remove the checksums if the data is correct")
}

// verified is a file that returns only data from chunks that match their checksums.
type verified struct {
	dfs.File
	sums  dfs.File
	name  string
	chunk int
	pos   int64
	buf   []byte // verified bytes; at is their offset in the file
	at    int64
}

// verifyAtOnce is the approximate number of bytes that Read verifies at a time.
const verifyAtOnce = 128 << 10

func (v *verified) Read(p []byte) (int, error) {
	if v.pos >= v.Size() {
		return v.File.ReadAt(p[:min(1, len(p))], v.pos) // io.EOF, or the error for a closed file
	}
	if v.pos < v.at || v.pos >= v.at+int64(len(v.buf)) {
		v.at = v.pos - v.pos%int64(v.chunk)
		n := max(verifyAtOnce-verifyAtOnce%v.chunk, v.chunk)
		var err error
		if v.buf, err = v.chunks(v.buf[:0], v.at, n); err != nil {
			v.buf = v.buf[:0]
			return 0, err
		}
	}
	n := copy(p, v.buf[v.pos-v.at:])
	v.pos += int64(n)
	return n, nil
}

func (v *verified) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 || off >= v.Size() || len(p) == 0 {
		return v.File.ReadAt(p, off)
	}
	from := off - off%int64(v.chunk)
	b, err := v.chunks(nil, from, int(off-from)+len(p))
	if err != nil {
		return 0, err
	}
	n := copy(p, b[off-from:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (v *verified) Seek(offset int64, whence int) (int64, error) {
	if whence == io.SeekCurrent {
		offset, whence = v.pos+offset, io.SeekStart
	}
	pos, err := v.File.Seek(offset, whence)
	if err == nil {
		v.pos = pos
	}
	return pos, err
}

func (v *verified) Close() error {
	v.buf = nil
	return errors.Join(v.File.Close(), v.sums.Close())
}

// chunks returns the verified chunks that contain the n bytes starting at off, or fewer at the end
// of the file. off must be the start of a chunk. chunks reuses dst if its capacity suffices.
func (v *verified) chunks(dst []byte, off int64, n int) ([]byte, error) {
	size := min(int64(n+v.chunk-1)/int64(v.chunk)*int64(v.chunk), v.Size()-off)
	if int64(cap(dst)) < size {
		dst = make([]byte, size)
	}
	dst = dst[:size]
	if _, err := v.File.ReadAt(dst, off); err != nil && err != io.EOF {
		return nil, err
	}
	sums := make([]byte, 4*((size+int64(v.chunk)-1)/int64(v.chunk)))
	if _, err := v.sums.ReadAt(sums, sumHead+4*(off/int64(v.chunk))); err != nil && err != io.EOF {
		return nil, err
	}
	for i := 0; i < len(dst); i += v.chunk {
		part := dst[i:min(i+v.chunk, len(dst))]
		if crc32.ChecksumIEEE(part) != binary.BigEndian.Uint32(sums[4*(i/v.chunk):]) {
			return nil, failure.New(failure.Corrupt, "read", fmt.Sprintf("%s at byte %d", v.name, off+int64(i)),
				errors.New("the checksum is wrong"))
		}
	}
	return dst, nil
}

// Create implements dfs.FileSystem.
func (l *Checksummed) Create(ctx context.Context, name string, o dfs.CreateOptions) (dfs.Writer, error) {
	w, err := l.FS.Create(ctx, name, o)
	if err != nil || isSums(name) {
		return w, err
	}
	s := &summed{Writer: w, l: l, ctx: ctx, name: name, keep: l.write && !o.Append}
	s.sums = binary.BigEndian.AppendUint32([]byte(sumMagic), uint32(l.chunk))
	return s, nil
}

// summed is a writer that removes the file's old checksums at Close. If keep is set, it also
// computes the checksums of its data and writes them to the checksum file.
type summed struct {
	dfs.Writer
	l    *Checksummed
	ctx  context.Context
	name string
	keep bool // write the checksums
	sums []byte
	sum  uint32
	n    int // bytes in sum
	done bool
}

func (s *summed) Write(p []byte) (int, error) {
	n, err := s.Writer.Write(p)
	if s.keep {
		s.add(p[:n])
	}
	return n, err
}

func (s *summed) add(p []byte) {
	for len(p) > 0 {
		k := min(s.l.chunk-s.n, len(p))
		s.sum = crc32.Update(s.sum, crc32.IEEETable, p[:k])
		if s.n += k; s.n == s.l.chunk {
			s.sums = binary.BigEndian.AppendUint32(s.sums, s.sum)
			s.sum, s.n = 0, 0
		}
		p = p[k:]
	}
}

// Close removes the old checksums before it replaces the content of a file, so that content and
// checksums do not disagree.
func (s *summed) Close() error {
	if s.done {
		return s.Writer.Close()
	}
	if err := s.l.drop(s.ctx, s.name); err != nil {
		return err
	}
	if err := s.Writer.Close(); err != nil {
		return err
	}
	s.done = true
	if !s.keep {
		return nil
	}
	if s.n > 0 {
		s.sums = binary.BigEndian.AppendUint32(s.sums, s.sum)
	}
	w, err := s.l.FS.Create(s.ctx, sumsOf(s.name), dfs.CreateOptions{Overwrite: true})
	if err != nil {
		return err
	}
	if _, err := w.Write(s.sums); err != nil {
		w.Abort()
		return err
	}
	return w.Close()
}

// Rename implements dfs.FileSystem.
func (l *Checksummed) Rename(ctx context.Context, from, to string) error {
	if err := l.FS.Rename(ctx, from, to); err != nil || isSums(from) || isSums(to) {
		return err
	}
	if err := l.drop(ctx, to); err != nil {
		return err
	}
	sums, _, err := l.sums(ctx, from)
	if sums == nil || err != nil {
		return err
	}
	return errors.Join(sums.Close(), l.FS.Rename(ctx, sumsOf(from), sumsOf(to)))
}

// Delete implements dfs.FileSystem.
func (l *Checksummed) Delete(ctx context.Context, name string, recursive bool) error {
	if err := l.FS.Delete(ctx, name, recursive); err != nil || isSums(name) {
		return err
	}
	return l.drop(ctx, name)
}

// Truncate implements dfs.Truncater.
func (l *Checksummed) Truncate(ctx context.Context, name string, size int64) error {
	if err := l.FS.Truncate(ctx, name, size); err != nil {
		return err
	}
	return l.drop(ctx, name)
}

// List implements dfs.FileSystem.
func (l *Checksummed) List(ctx context.Context, name string) ([]dfs.Info, error) {
	all, err := l.FS.List(ctx, name)
	if err != nil || !slices.ContainsFunc(all, func(i dfs.Info) bool { return isSums(i.Path) }) {
		return all, err
	}
	files := map[string]bool{}
	for _, i := range all {
		files[i.Path] = !i.Dir
	}
	return slices.DeleteFunc(all, func(i dfs.Info) bool { return isSums(i.Path) && files[fileOf(i.Path)] }), nil
}
