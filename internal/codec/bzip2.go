package codec

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/dsnet/compress/bzip2"
)

// bzip2Codec is Hadoop's BZip2Codec. Its files consist of one or more plain bzip2 streams, and
// readers can split them (Splitter). The codec has its own decoder, because Hadoop's encoder can
// write an obsolete kind of block that libraries reject.
type bzip2Codec struct{}

func (bzip2Codec) Class() string     { return "org.apache.hadoop.io.compress.BZip2Codec" }
func (bzip2Codec) Extension() string { return ".bz2" }

func (bzip2Codec) NewReader(r io.Reader) (io.ReadCloser, error) {
	return newBzip2Reader(r, 0, math.MaxInt64), nil
}

func (bzip2Codec) NewSplitReader(r io.Reader, start, end int64) SplitReader {
	return newBzip2Reader(r, start, end)
}

var bzip2Writers sync.Pool

func (bzip2Codec) NewWriter(w io.Writer) io.WriteCloser {
	e, ok := bzip2Writers.Get().(*bzip2.Writer)
	if !ok {
		e, _ = bzip2.NewWriter(nil, &bzip2.WriterConfig{Level: bzip2.BestCompression}) // fails only for an unknown level
	}
	_ = e.Reset(w) // cannot fail
	return &bzip2Writer{e}
}

type bzip2Writer struct{ enc *bzip2.Writer }

func (w *bzip2Writer) Write(p []byte) (int, error) {
	if w.enc == nil {
		return 0, io.ErrClosedPipe
	}
	return w.enc.Write(p)
}

func (w *bzip2Writer) Close() error {
	if w.enc == nil {
		return nil
	}
	err := w.enc.Close()
	bzip2Writers.Put(w.enc)
	w.enc = nil
	return err
}

func (c bzip2Codec) AppendStream(dst, src []byte) ([]byte, error) {
	out := &sliceWriter{dst}
	w := c.NewWriter(out)
	if _, err := w.Write(src); err != nil {
		return dst, err
	}
	err := w.Close()
	return out.b, err
}

func (bzip2Codec) AppendDecodedStream(dst, src []byte, limit int) ([]byte, error) {
	r := newBzip2Reader(bytes.NewReader(src), 0, math.MaxInt64)
	defer r.Close()
	return readUpTo(r, dst, limit)
}

func (c bzip2Codec) Append(dst, src []byte) ([]byte, error) { return c.AppendStream(dst, src) }

func (c bzip2Codec) AppendDecoded(dst, src []byte, size int) ([]byte, error) {
	n := len(dst)
	out, err := c.AppendDecodedStream(grow(dst, size)[:n], src, size)
	if err == nil && len(out) != n+size {
		err = corrupt(fmt.Errorf("a block has %d bytes, want %d", len(out)-n, size))
	}
	if err != nil {
		return dst[:n], err
	}
	return out, nil
}
