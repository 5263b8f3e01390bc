package codec

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
)

type deflateFormat int

const (
	zlibFormat deflateFormat = iota
	gzipFormat
)

// deflateCodec implements deflate in the gzip or zlib format.
type deflateCodec struct {
	class, ext string
	format     deflateFormat
}

func (d *deflateCodec) Class() string     { return d.class }
func (d *deflateCodec) Extension() string { return d.ext }

// deflateWriter and deflateReader have the methods that are common to gzip and zlib.
type deflateWriter interface {
	io.WriteCloser
	Reset(io.Writer)
}

type deflateReader interface {
	io.ReadCloser
	reset(io.Reader) error
}

type gzipReader struct{ gzip.Reader }

func (r *gzipReader) reset(src io.Reader) error { return r.Reset(src) }

// zlibReader reads concatenated streams, as Hadoop does. The standard library stops after the first
// stream.
type zlibReader struct {
	io.ReadCloser
	src  *bytes.Reader // the input; if nil, buf is the input
	buf  *bufio.Reader
	done bool
}

func (r *zlibReader) reset(src io.Reader) error {
	r.done = false
	if r.src, _ = src.(*bytes.Reader); r.src != nil {
		return r.next(r.src)
	}
	if r.buf == nil {
		r.buf = bufio.NewReaderSize(src, 32<<10)
	} else {
		r.buf.Reset(src)
	}
	return r.next(r.buf)
}

func (r *zlibReader) next(src io.Reader) (err error) {
	if r.ReadCloser == nil {
		r.ReadCloser, err = zlib.NewReader(src)
		return err
	}
	return r.ReadCloser.(zlib.Resetter).Reset(src, nil)
}

func (r *zlibReader) Read(p []byte) (int, error) {
	for !r.done {
		n, err := r.ReadCloser.Read(p)
		if err != io.EOF || n > 0 {
			if err == io.EOF {
				err = nil // the next call checks for another stream
			}
			return n, err
		}
		if err := r.further(); err != nil {
			r.done = err == io.EOF
			return 0, err
		}
	}
	return 0, io.EOF
}

// further starts reading the next stream. It returns io.EOF if no stream follows.
func (r *zlibReader) further() error {
	if r.src != nil {
		if r.src.Len() == 0 {
			return io.EOF
		}
		return r.next(r.src)
	}
	if _, err := r.buf.Peek(1); err != nil {
		return err
	}
	return r.next(r.buf)
}

// These pools are indexed by format. Block encoders use the fastest compression level, and stream
// encoders use gzip's default level.
var (
	blockWriters  [2]sync.Pool
	streamWriters [2]sync.Pool
	readers       [2]sync.Pool
)

func (d *deflateCodec) writer(pool *[2]sync.Pool, level int, w io.Writer) deflateWriter {
	if x, ok := pool[d.format].Get().(deflateWriter); ok {
		x.Reset(w)
		return x
	}
	// The constructors fail only for an unknown level.
	if d.format == gzipFormat {
		x, _ := gzip.NewWriterLevel(w, level)
		return x
	}
	x, _ := zlib.NewWriterLevel(w, level)
	return x
}

func (d *deflateCodec) reader(r io.Reader) (deflateReader, error) {
	x, ok := readers[d.format].Get().(deflateReader)
	if !ok {
		if d.format == gzipFormat {
			x = &gzipReader{}
		} else {
			x = &zlibReader{}
		}
	}
	return x, x.reset(r)
}

func (d *deflateCodec) NewWriter(w io.Writer) io.WriteCloser {
	return &pooledDeflateWriter{d.writer(&streamWriters, gzip.DefaultCompression, w), &streamWriters[d.format]}
}

type pooledDeflateWriter struct {
	deflateWriter
	pool *sync.Pool
}

func (w *pooledDeflateWriter) Close() error {
	if w.deflateWriter == nil {
		return nil
	}
	err := w.deflateWriter.Close()
	w.pool.Put(w.deflateWriter)
	w.deflateWriter = nil
	return err
}

func (d *deflateCodec) NewReader(r io.Reader) (io.ReadCloser, error) {
	src := &watched{Reader: r}
	x, err := d.reader(src)
	if err != nil {
		return nil, src.classify(unexpected(err))
	}
	return &pooledDeflateReader{x, src, &readers[d.format]}, nil
}

type pooledDeflateReader struct {
	deflateReader
	src  *watched
	pool *sync.Pool
}

func (r *pooledDeflateReader) Read(p []byte) (int, error) {
	if r.deflateReader == nil {
		return 0, io.ErrClosedPipe
	}
	n, err := r.deflateReader.Read(p)
	return n, r.src.classify(err)
}

func (r *pooledDeflateReader) Close() error {
	if r.deflateReader == nil {
		return nil
	}
	r.pool.Put(r.deflateReader)
	r.deflateReader = nil
	return nil
}

// sliceWriter is a writer that appends to a byte slice.
type sliceWriter struct{ b []byte }

func (w *sliceWriter) Write(p []byte) (int, error) {
	w.b = append(w.b, p...)
	return len(p), nil
}

func (d *deflateCodec) Append(dst, src []byte) ([]byte, error) {
	out := &sliceWriter{dst}
	w := d.writer(&blockWriters, gzip.BestSpeed, out)
	defer blockWriters[d.format].Put(w)
	if _, err := w.Write(src); err != nil {
		return dst, err
	}
	err := w.Close()
	return out.b, err
}

func (d *deflateCodec) AppendDecoded(dst, src []byte, size int) ([]byte, error) {
	r, err := d.reader(bytes.NewReader(src))
	if err != nil {
		return dst, corrupt(unexpected(err))
	}
	defer readers[d.format].Put(r)
	n := len(dst)
	dst = grow(dst, size)
	if _, err := io.ReadFull(r, dst[n:]); err != nil {
		return dst[:n], corrupt(unexpected(err))
	}
	// Read to the end, because the library verifies the checksum there.
	var one [1]byte
	if k, err := r.Read(one[:]); k != 0 || err != io.EOF {
		return dst[:n], corrupt(fmt.Errorf("a block does not end after %d bytes: %w", size, unexpected(err)))
	}
	return dst, nil
}

// grow extends dst by n bytes with undefined content.
func grow(dst []byte, n int) []byte {
	if cap(dst)-len(dst) < n {
		bigger := make([]byte, len(dst), len(dst)+n)
		copy(bigger, dst)
		dst = bigger
	}
	return dst[:len(dst)+n]
}

// unexpected returns io.ErrUnexpectedEOF if err is nil or io.EOF. Otherwise, it returns err.
func unexpected(err error) error {
	if err == nil || err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
