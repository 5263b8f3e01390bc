package codec

import (
	"bytes"
	stdbzip2 "compress/bzip2"
	"fmt"
	"io"

	"github.com/dsnet/compress/bzip2"
)

// bzip2Codec is Hadoop's BZip2Codec: plain bzip2 streams, of which a file may have several. Its files can be cut (Splitter).
type bzip2Codec struct{}

func (bzip2Codec) Class() string     { return "org.apache.hadoop.io.compress.BZip2Codec" }
func (bzip2Codec) Extension() string { return ".bz2" }

func (bzip2Codec) NewWriter(w io.Writer) io.WriteCloser { return &bzip2Writer{to: w} }

// bzip2Writer makes its encoder, and thereby the stream's header, with the first bytes or, if there are none, at the end.
type bzip2Writer struct {
	to  io.Writer
	enc *bzip2.Writer
	err error // after Close: io.ErrClosedPipe
}

func (w *bzip2Writer) start() {
	if w.enc == nil && w.err == nil {
		w.enc, w.err = bzip2.NewWriter(w.to, &bzip2.WriterConfig{Level: bzip2.BestCompression})
	}
}

func (w *bzip2Writer) Write(p []byte) (int, error) {
	if w.start(); w.err != nil {
		return 0, w.err
	}
	return w.enc.Write(p)
}

func (w *bzip2Writer) Close() error {
	if w.err == io.ErrClosedPipe {
		return nil
	}
	if w.start(); w.err != nil {
		return w.err
	}
	w.err = io.ErrClosedPipe
	return w.enc.Close()
}

func (bzip2Codec) NewReader(r io.Reader) (io.ReadCloser, error) {
	src := &watched{Reader: r}
	return &bzip2Reader{dec: stdbzip2.NewReader(src), src: src}, nil
}

type bzip2Reader struct {
	dec    io.Reader
	src    *watched
	closed bool
}

func (r *bzip2Reader) Read(p []byte) (int, error) {
	if r.closed {
		return 0, io.ErrClosedPipe
	}
	n, err := r.dec.Read(p)
	if err == io.EOF && r.src.read == 0 {
		return n, io.EOF // a file without bytes
	}
	return n, r.src.classify(err)
}

func (r *bzip2Reader) Close() error {
	r.closed = true
	return nil
}

func (c bzip2Codec) Append(dst, src []byte) ([]byte, error) {
	out := &sliceWriter{dst}
	w := c.NewWriter(out)
	if _, err := w.Write(src); err != nil {
		return dst, err
	}
	err := w.Close()
	return out.b, err
}

func (bzip2Codec) AppendDecoded(dst, src []byte, size int) ([]byte, error) {
	n := len(dst)
	dst = grow(dst, size)
	r := stdbzip2.NewReader(bytes.NewReader(src))
	if _, err := io.ReadFull(r, dst[n:]); err != nil {
		return dst[:n], corrupt(unexpected(err))
	}
	var one [1]byte
	if k, err := r.Read(one[:]); k != 0 || err != io.EOF {
		return dst[:n], corrupt(fmt.Errorf("block is longer than the %d bytes it should have: %w", size, unexpected(err)))
	}
	return dst, nil
}
