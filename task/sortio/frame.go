package sortio

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/howdah/howdah/internal/codec"
	"github.com/howdah/howdah/job/failure"
)

// A segment is a sequence of frames. A frame consists of a 12-byte header (stored length, raw
// length, checksum; little-endian) and the stored bytes. If the two lengths are equal, the frame is
// not compressed.
//
// The checksum is CRC-32C over the previous frame's checksum, the two lengths, and the stored
// bytes. It detects dropped, repeated, and moved frames as well as flipped bits. The last frame's
// checksum covers the whole segment.
const (
	frameHeader = 12
	// frameSize is the raw size of a full frame in bytes. A reader holds two frames.
	frameSize = 128 << 10
	// minFrameSize is the minimum size of frames when memory is too small for full frames.
	minFrameSize = 4 << 10
	// maxFrame is the largest frame that a reader accepts. It limits the allocation that a damaged
	// length can cause.
	maxFrame = 1 << 20
)

// RunMemory is the memory for reading one run of full frames, in bytes.
const RunMemory = 2*frameSize + 64<<10

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// frameWriter splits a stream of bytes into frames. Call start before the first use.
type frameWriter struct {
	w      io.Writer
	codec  codec.Codec // nil means none
	size   int         // raw bytes in a full frame
	buf    []byte      // space for the header, then raw bytes
	packed []byte
	crc    uint32
	raw    int64 // size of the segment before compression
	stored int64 // size of the segment including headers
}

// start starts a segment.
func (f *frameWriter) start() {
	if f.buf == nil {
		f.buf = make([]byte, frameHeader, frameHeader+f.size)
	}
	f.crc, f.raw, f.stored = 0, 0, 0
}

// room returns the number of free bytes in the current frame.
func (f *frameWriter) room() int { return f.size + frameHeader - len(f.buf) }

func (f *frameWriter) write(p []byte) error {
	for len(p) > f.room() {
		n := f.room()
		f.buf = append(f.buf, p[:n]...)
		p = p[n:]
		if err := f.flush(); err != nil {
			return err
		}
	}
	f.buf = append(f.buf, p...)
	return nil
}

// flush writes the current frame, unless it is empty.
func (f *frameWriter) flush() error {
	raw := len(f.buf) - frameHeader
	if raw == 0 {
		return nil
	}
	frame := f.buf
	if f.codec != nil {
		packed, err := f.codec.Append(append(f.packed[:0], make([]byte, frameHeader)...), frame[frameHeader:])
		if err != nil {
			return err
		}
		f.packed = packed
		if len(packed) < len(frame) {
			frame = packed
		}
	}
	binary.LittleEndian.PutUint32(frame, uint32(len(frame)-frameHeader))
	binary.LittleEndian.PutUint32(frame[4:], uint32(raw))
	f.crc = frameSum(f.crc, frame[:8], frame[frameHeader:])
	binary.LittleEndian.PutUint32(frame[8:], f.crc)
	f.raw += int64(raw)
	f.stored += int64(len(frame))
	f.buf = f.buf[:frameHeader]
	_, err := f.w.Write(frame)
	return err
}

func frameSum(prev uint32, lengths, stored []byte) uint32 {
	return crc32.Update(crc32.Update(prev, castagnoli, lengths), castagnoli, stored)
}

// frameReader reads the frames of one segment and returns only verified bytes.
type frameReader struct {
	src    io.Reader
	codec  codec.Codec
	what   string // file name for errors
	want   Entry
	left   int64 // remaining stored bytes
	raw    int64 // raw bytes returned so far
	crc    uint32
	stored []byte // a frame's stored bytes and the next frame's header
	plain  []byte
	head   [frameHeader]byte // header of the next frame
	cur    [frameHeader]byte // header of the current frame
	// asStored makes next return the stored bytes without decompressing them.
	asStored bool
}

// reset starts reading the segment with entry e. src must be at the start of the segment.
func (f *frameReader) reset(src io.Reader, e Entry, c codec.Codec, what string) {
	f.src, f.codec, f.what, f.want = src, c, what, e
	f.left, f.raw, f.crc = e.Part, 0, 0
}

// next returns the next frame's raw bytes, which are valid until the next call. After the last
// frame, it returns io.EOF if the whole segment matches its index entry.
func (f *frameReader) next() ([]byte, error) {
	if f.left == 0 {
		if f.raw != f.want.Raw || f.crc != f.want.CRC {
			return nil, f.corrupt("segment does not match its index: %d bytes of %d, checksum %08x instead of %08x", f.raw,
				f.want.Raw, f.crc, f.want.CRC)
		}
		return nil, io.EOF
	}
	if f.left == f.want.Part {
		if f.left < frameHeader {
			return nil, f.corrupt("segment of %d bytes", f.left)
		}
		if err := f.fill(f.head[:]); err != nil {
			return nil, err
		}
	}
	stored := int(binary.LittleEndian.Uint32(f.head[:]))
	raw := int(binary.LittleEndian.Uint32(f.head[4:]))
	sum := binary.LittleEndian.Uint32(f.head[8:])
	if raw > maxFrame || stored == 0 || stored > raw || int64(stored) > f.left {
		return nil, f.corrupt("frame with invalid lengths %d and %d", stored, raw)
	}
	n := stored
	if more := f.left - int64(stored); more > frameHeader {
		n += frameHeader
	} else if more != 0 {
		return nil, f.corrupt("%d stray bytes", more)
	}
	f.stored = sized(f.stored, n)
	if err := f.fill(f.stored); err != nil {
		return nil, err
	}
	f.crc = frameSum(f.crc, f.head[:8], f.stored[:stored])
	if f.crc != sum {
		return nil, f.corrupt("checksum of a frame is %08x instead of %08x", f.crc, sum)
	}
	f.cur = f.head
	copy(f.head[:], f.stored[stored:])
	f.raw += int64(raw)
	if stored == raw || f.asStored {
		return f.stored[:stored], nil
	}
	if f.codec == nil {
		return nil, f.corrupt("compressed frame, but no codec is configured")
	}
	plain, err := f.codec.AppendDecoded(f.plain[:0], f.stored[:stored], raw)
	if err != nil {
		return nil, f.corrupt("%w", err)
	}
	f.plain = plain
	return plain, nil
}

func (f *frameReader) fill(p []byte) error {
	_, err := io.ReadFull(f.src, p)
	f.left -= int64(len(p))
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return f.corrupt("file is shorter than its index requires")
	}
	if err != nil {
		return ioError("read", f.what, err)
	}
	return nil
}

func (f *frameReader) corrupt(format string, args ...any) error {
	return failure.New(failure.Corrupt, "read segment", f.what, fmt.Errorf(format, args...))
}

// sized returns a slice of n bytes with arbitrary content. It reuses b's memory if b is large
// enough.
func sized(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

func ioError(op, on string, err error) error {
	k := failure.KindOf(err)
	if k == failure.Unknown {
		k = failure.IO
	}
	return failure.New(k, op, on, err)
}
