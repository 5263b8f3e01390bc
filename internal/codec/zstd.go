package codec

import (
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// zstdCodec is Hadoop's ZStandardCodec, which writes plain zstd frames. All blocks share one
// encoder and one decoder, because the methods that process blocks are safe for concurrent use.
type zstdCodec struct{}

func (zstdCodec) Class() string     { return "org.apache.hadoop.io.compress.ZStandardCodec" }
func (zstdCodec) Extension() string { return ".zst" }

// maxWindow limits the memory that a decoder allocates for the window size in a stream's header.
const maxWindow = 128 << 20

var (
	zstdBlockEncoder = sync.OnceValue(func() *zstd.Encoder {
		// NewWriter fails only for invalid options, and these options are valid constants.
		e, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(2),
			zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(false))
		return e
	})
	zstdBlockDecoder = sync.OnceValue(func() *zstd.Decoder {
		d, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderLowmem(true),
			zstd.WithDecodeAllCapLimit(true))
		return d
	})
	zstdWriters sync.Pool
	zstdReaders sync.Pool
)

func (zstdCodec) NewWriter(w io.Writer) io.WriteCloser {
	e, ok := zstdWriters.Get().(*zstd.Encoder)
	if !ok {
		e, _ = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
	}
	e.Reset(w)
	return &zstdWriter{e}
}

type zstdWriter struct{ *zstd.Encoder }

func (w *zstdWriter) Close() error {
	if w.Encoder == nil {
		return nil
	}
	err := w.Encoder.Close()
	w.Encoder.Reset(nil)
	zstdWriters.Put(w.Encoder)
	w.Encoder = nil
	return err
}

func (zstdCodec) NewReader(r io.Reader) (io.ReadCloser, error) {
	d, ok := zstdReaders.Get().(*zstd.Decoder)
	if !ok {
		d, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow))
	}
	src := &watched{Reader: r}
	if err := d.Reset(src); err != nil {
		return nil, src.classify(err)
	}
	return &zstdReader{d, src}, nil
}

type zstdReader struct {
	*zstd.Decoder
	src *watched
}

func (r *zstdReader) Read(p []byte) (int, error) {
	if r.Decoder == nil {
		return 0, io.ErrClosedPipe
	}
	n, err := r.Decoder.Read(p)
	return n, r.src.classify(err)
}

func (r *zstdReader) Close() error {
	if r.Decoder == nil {
		return nil
	}
	err := r.Decoder.Reset(nil)
	zstdReaders.Put(r.Decoder)
	r.Decoder = nil
	return err
}

func (zstdCodec) Append(dst, src []byte) ([]byte, error) {
	return zstdBlockEncoder().EncodeAll(src, dst), nil
}

func (zstdCodec) AppendDecoded(dst, src []byte, size int) ([]byte, error) {
	n := len(dst)
	dst = grow(dst, size)[:n]
	// The decoder does not write beyond the capacity of its buffer.
	out, err := zstdBlockDecoder().DecodeAll(src, dst[:n:n+size])
	if err != nil {
		return dst, corrupt(err)
	}
	if len(out) != n+size {
		return dst, corrupt(fmt.Errorf("a block has %d bytes, want %d", len(out)-n, size))
	}
	return out, nil
}
