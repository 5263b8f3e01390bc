package codec

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"
)

// blockCodec is a codec that uses the framing of Hadoop's BlockCompressorStream. A block is a
// 4-byte count of uncompressed bytes, followed by chunks until that count is reached. A chunk is a
// 4-byte count of compressed bytes, followed by the bytes. The command-line tools of lz4 and snappy
// use a different framing.
type blockCodec struct {
	class, ext string
	blockSize  int // uncompressed bytes in a written block; its compressed form always fits in directBuffer bytes
	// encode appends the compressed form of src to dst.
	encode func(dst, src []byte) ([]byte, error)
	// decode appends the decompressed form of src, at most limit bytes, to dst.
	decode func(dst, src []byte, limit int) ([]byte, error)

	buffers sync.Pool // of *blockBuffers
}

// blockBuffers are the buffers of a stream, kept for reuse.
type blockBuffers struct{ plain, packed []byte }

// directBuffer is the default buffer size of Hadoop's codecs, in bytes
// (io.compression.codec.snappy.buffersize and io.compression.codec.lz4.buffersize).
const directBuffer = 256 << 10

// maxChunk is the maximum size of a chunk in bytes, compressed or not. Hadoop's chunks are at most
// 256 KiB.
const maxChunk = 64 << 20

func (c *blockCodec) Class() string     { return c.class }
func (c *blockCodec) Extension() string { return c.ext }

func (c *blockCodec) take() *blockBuffers {
	if b, ok := c.buffers.Get().(*blockBuffers); ok {
		return b
	}
	return &blockBuffers{}
}

func (c *blockCodec) NewWriter(w io.Writer) io.WriteCloser {
	return &blockWriter{c: c, w: w, buf: c.take()}
}

type blockWriter struct {
	c      *blockCodec
	w      io.Writer
	buf    *blockBuffers
	blocks int
	err    error
}

func (w *blockWriter) Write(p []byte) (int, error) {
	if w.buf == nil {
		return 0, io.ErrClosedPipe
	}
	total := len(p)
	for len(p) > 0 && w.err == nil {
		if len(w.buf.plain) == 0 && len(p) >= w.c.blockSize {
			w.block(p[:w.c.blockSize])
			p = p[w.c.blockSize:]
			continue
		}
		n := min(w.c.blockSize-len(w.buf.plain), len(p))
		w.buf.plain = append(w.buf.plain, p[:n]...)
		p = p[n:]
		if len(w.buf.plain) == w.c.blockSize {
			w.block(w.buf.plain)
			w.buf.plain = w.buf.plain[:0]
		}
	}
	return total - len(p), w.err
}

func (w *blockWriter) block(plain []byte) {
	out, err := w.c.appendBlock(w.buf.packed[:0], plain)
	if err != nil {
		w.err = err
		return
	}
	w.buf.packed = out
	w.blocks++
	_, w.err = w.w.Write(out)
}

// appendBlock appends plain as a block of one chunk.
func (c *blockCodec) appendBlock(dst, plain []byte) ([]byte, error) {
	at := len(dst)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(plain)))
	dst, err := c.encode(append(dst, 0, 0, 0, 0), plain)
	if err == nil {
		binary.BigEndian.PutUint32(dst[at+4:], uint32(len(dst)-at-8))
	}
	return dst, err
}

// Close writes the remaining bytes. If the stream is empty, it writes an empty block, as Hadoop
// does.
func (w *blockWriter) Close() error {
	if w.buf == nil {
		return nil
	}
	if w.err == nil && len(w.buf.plain) > 0 {
		w.block(w.buf.plain)
	}
	if w.err == nil && w.blocks == 0 {
		_, w.err = w.w.Write(make([]byte, 4))
	}
	w.buf.plain = w.buf.plain[:0]
	w.c.buffers.Put(w.buf)
	w.buf = nil
	return w.err
}

func (c *blockCodec) NewReader(r io.Reader) (io.ReadCloser, error) {
	return &blockReader{c: c, src: &watched{Reader: r}, buf: c.take()}, nil
}

type blockReader struct {
	c     *blockCodec
	src   *watched
	buf   *blockBuffers // plain is the chunk that is being delivered
	off   int           // offset in plain
	block int           // uncompressed bytes of the block that are not yet read
	head  [4]byte
	at    int64 // offset of the chunk in the file
	err   error
}

func (r *blockReader) Read(p []byte) (int, error) {
	if r.buf == nil {
		return 0, io.ErrClosedPipe
	}
	for r.off == len(r.buf.plain) {
		if r.err == nil {
			r.at = r.src.read
			r.err = r.chunk()
		}
		if r.err != nil {
			return 0, r.src.faultAt(r.err, r.at)
		}
	}
	n := copy(p, r.buf.plain[r.off:])
	r.off += n
	return n, nil
}

// chunk reads and decompresses the next chunk. It returns io.EOF if the stream ends between blocks.
func (r *blockReader) chunk() error {
	r.buf.plain, r.off = r.buf.plain[:0], 0
	for r.block == 0 {
		n, err := r.count(math.MaxInt32)
		if err != nil {
			return err
		}
		r.block = n
	}
	n, err := r.count(maxChunk)
	if err != nil {
		return unexpected(err)
	}
	if r.buf.packed, err = readSteps(r.src, r.buf.packed[:0], n); err != nil {
		return err
	}
	if r.buf.plain, err = r.c.decode(r.buf.plain, r.buf.packed, min(r.block, maxChunk)); err != nil {
		return err
	}
	r.block -= len(r.buf.plain)
	return nil
}

func (r *blockReader) count(limit int) (int, error) {
	if _, err := io.ReadFull(r.src, r.head[:]); err != nil {
		return 0, err
	}
	n, _, err := blockCount(r.head[:], limit)
	return n, err
}

// blockCount returns the count at the start of b and the bytes after it. It returns io.EOF if b is
// empty, and another error if the count is incomplete, negative, or greater than limit.
func blockCount(b []byte, limit int) (n int, rest []byte, err error) {
	if len(b) < 4 {
		if len(b) == 0 {
			return 0, b, io.EOF
		}
		return 0, b, io.ErrUnexpectedEOF
	}
	if n = int(int32(binary.BigEndian.Uint32(b))); n < 0 || n > limit {
		return 0, b, fmt.Errorf("a block or chunk has %d bytes", n)
	}
	return n, b[4:], nil
}

// readSteps appends n bytes from r to dst. It allocates memory only as bytes arrive, because n may
// come from damaged data.
func readSteps(r io.Reader, dst []byte, n int) ([]byte, error) {
	const step = 1 << 20
	for n > 0 {
		k, at := min(n, step), len(dst)
		dst = slices.Grow(dst, k)[:at+k]
		if _, err := io.ReadFull(r, dst[at:]); err != nil {
			return dst[:at], unexpected(err)
		}
		n -= k
	}
	return dst, nil
}

func (r *blockReader) Close() error {
	if r.buf != nil {
		r.buf.plain = r.buf.plain[:0]
		r.c.buffers.Put(r.buf)
		r.buf = nil
	}
	return nil
}

func (c *blockCodec) Append(dst, src []byte) ([]byte, error) { return c.encode(dst, src) }

func (c *blockCodec) AppendDecoded(dst, src []byte, size int) ([]byte, error) {
	n := len(dst)
	out, err := c.decode(grow(dst, size)[:n], src, size)
	if err == nil && len(out) != n+size {
		err = fmt.Errorf("a block has %d bytes, want %d", len(out)-n, size)
	}
	if err != nil {
		return dst[:n], corrupt(err)
	}
	return out, nil
}
