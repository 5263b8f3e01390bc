package codec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// The functions in this file process whole streams in memory, as SequenceFiles need. They use the
// same formats as NewWriter and NewReader, but avoid the setup cost for each stream.

// errTooLong returns the error for a stream that decompresses to more than limit bytes.
func errTooLong(limit int) error {
	return corrupt(fmt.Errorf("the decompressed data has more than %d bytes", limit))
}

// readUpTo appends the bytes from r to dst. It returns an error if r has more than limit bytes.
func readUpTo(r io.Reader, dst []byte, limit int) ([]byte, error) {
	n := len(dst)
	for {
		if len(dst) == cap(dst) {
			dst = slices.Grow(dst, 512)
		}
		k, err := r.Read(dst[len(dst):cap(dst)])
		if dst = dst[:len(dst)+k]; len(dst)-n > limit {
			return dst[:n], errTooLong(limit)
		}
		if err == io.EOF {
			return dst, nil
		}
		if err != nil {
			return dst[:n], corrupt(err)
		}
	}
}

// deflateMemory pools encoders that write to memory, by format.
var deflateMemory [2]sync.Pool

type deflateEncoder struct {
	deflateWriter
	out sliceWriter
}

func (d *deflateCodec) AppendStream(dst, src []byte) ([]byte, error) {
	e, ok := deflateMemory[d.format].Get().(*deflateEncoder)
	if !ok {
		e = &deflateEncoder{}
		e.deflateWriter = d.writer(&streamWriters, gzip.DefaultCompression, &e.out)
	}
	defer deflateMemory[d.format].Put(e)
	e.out.b = dst
	e.Reset(&e.out)
	_, err := e.Write(src)
	err = errors.Join(err, e.Close())
	out := e.out.b
	e.out.b = nil
	return out, err
}

// deflateMemoryReaders pools decoders that read from memory, by format.
var deflateMemoryReaders [2]sync.Pool

type deflateDecoder struct {
	deflateReader
	in bytes.Reader
}

func (d *deflateCodec) AppendDecodedStream(dst, src []byte, limit int) ([]byte, error) {
	x, ok := deflateMemoryReaders[d.format].Get().(*deflateDecoder)
	if !ok {
		x = &deflateDecoder{}
	}
	x.in.Reset(src)
	var err error
	if x.deflateReader == nil {
		x.deflateReader, err = d.reader(&x.in)
	} else {
		err = x.reset(&x.in)
	}
	if err != nil {
		return dst, corrupt(unexpected(err))
	}
	defer deflateMemoryReaders[d.format].Put(x)
	return readUpTo(x, dst, limit)
}

func (c *blockCodec) AppendStream(dst, src []byte) ([]byte, error) {
	if len(src) == 0 {
		return append(dst, 0, 0, 0, 0), nil
	}
	for err := error(nil); len(src) > 0; {
		n := min(len(src), c.blockSize)
		if dst, err = c.appendBlock(dst, src[:n]); err != nil {
			return dst, err
		}
		src = src[n:]
	}
	return dst, nil
}

func (c *blockCodec) AppendDecodedStream(dst, src []byte, limit int) ([]byte, error) {
	n := len(dst)
	for block := 0; ; {
		size, rest, err := blockCount(src, math.MaxInt32)
		if err == io.EOF && block == 0 {
			return dst, nil
		}
		if src = rest; err == nil && block == 0 {
			block = size
			continue
		}
		if err == nil && size > len(src) {
			err = io.ErrUnexpectedEOF
		}
		if err == nil && block > limit-(len(dst)-n) {
			return dst[:n], errTooLong(limit)
		}
		at := len(dst)
		if err == nil {
			dst, err = c.decode(dst, src[:size], block)
		}
		if err != nil {
			return dst[:n], corrupt(unexpected(err))
		}
		block -= len(dst) - at
		src = src[size:]
	}
}

func (zstdCodec) AppendStream(dst, src []byte) ([]byte, error) {
	return zstdBlockEncoder().EncodeAll(src, dst), nil
}

// AppendDecodedStream implements Codec. A frame need not contain the length of the result, so the
// buffer grows until the result fits.
func (zstdCodec) AppendDecodedStream(dst, src []byte, limit int) ([]byte, error) {
	n := len(dst)
	for room := min(limit, max(4*len(src), cap(dst)-n)); ; room = min(limit, 4*room) {
		dst = slices.Grow(dst, room)
		out, err := zstdBlockDecoder().DecodeAll(src, dst[:n:n+room])
		switch {
		case err == nil:
			return out, nil
		case !errors.Is(err, zstd.ErrDecoderSizeExceeded):
			return dst, corrupt(err)
		case room >= limit:
			return dst, errTooLong(limit)
		}
	}
}
