package codec

import (
	"fmt"
	"io"
	"sync"
)

// Markers of bzip2 precede blocks and the end of a stream. A marker can begin at any bit.
const (
	blockMarker = 0x314159265359
	endMarker   = 0x177245385090
	markerMask  = 1<<48 - 1
)

// firstBlock is the offset of the first block of a file, after "BZh9".
const firstBlock = 4

// bzip2Reader reads the streams of a file. For a part of a file, it starts at the first block in
// that part.
type bzip2Reader struct {
	d        *bzip2Decoder
	src      *watched
	at       int64 // file offset of the marker read last
	out      int64 // number of delivered bytes
	boundary int64
	known    bool // boundary is valid
	end      int64
	whole    bool   // whether the part begins at the start of the file
	inBlock  bool   // whether Read is inside a block
	inStream bool   // whether a marker follows; otherwise a header follows
	sum      uint32 // combined checksum of the stream's blocks so far
	summed   bool   // whether the stream was read from its start
	began    bool
	err      error
}

var bzip2Decoders sync.Pool

func newBzip2Reader(r io.Reader, start, end int64) *bzip2Reader {
	d, ok := bzip2Decoders.Get().(*bzip2Decoder)
	if !ok {
		d = &bzip2Decoder{}
	}
	b := &bzip2Reader{d: d, src: &watched{Reader: r}, whole: start == 0, end: end}
	d.bits.reset(b.src, start)
	d.level = 9 // the default until a header is read
	return b
}

// Boundary implements SplitReader.
func (r *bzip2Reader) Boundary() (int64, bool) { return r.boundary, r.known }

func (r *bzip2Reader) Close() error {
	if r.d != nil {
		r.d.bits.r = nil
		bzip2Decoders.Put(r.d)
		r.d, r.err = nil, io.ErrClosedPipe
	}
	return nil
}

func (r *bzip2Reader) Read(p []byte) (int, error) {
	for r.err == nil && len(p) > 0 {
		if !r.inBlock {
			r.err = r.nextBlock()
			if short := r.d.bits.fault(); short != nil && r.err != nil && r.err != io.EOF {
				r.err = short // the zeros after the end caused the error
			}
			continue
		}
		if n := r.d.expand(p); n > 0 {
			r.out += int64(n)
			return n, nil
		}
		r.inBlock = false
		if ^r.d.crc != r.d.want {
			r.err = fmt.Errorf("%w: a block has a wrong checksum", errBzip2)
		}
	}
	if r.err == nil || r.err == io.EOF || r.d == nil {
		return 0, r.err
	}
	return 0, r.src.faultAt(r.err, r.at)
}

// nextBlock decodes the next block or reads the end of a stream. It returns io.EOF at the end of
// the file.
func (r *bzip2Reader) nextBlock() error {
	if !r.began {
		r.began = true
		if !r.whole {
			return r.findBlock()
		}
	}
	if !r.inStream {
		if !r.d.bits.more() {
			if err := r.d.bits.err; err != io.EOF {
				return err
			}
			r.bound()
			return io.EOF
		}
		if err := r.header(); err != nil {
			return err
		}
	}
	r.at = r.d.bits.at()
	switch r.d.bits.take48() {
	case blockMarker:
		return r.decode(r.at)
	case endMarker:
		return r.finish()
	}
	if err := r.d.bits.fault(); err != nil {
		return err
	}
	return fmt.Errorf("%w: want a block or the end of a stream", errBzip2)
}

// bound records the boundary at the end of the part, unless it is already known.
func (r *bzip2Reader) bound() {
	if !r.known {
		r.boundary, r.known = r.out, true
	}
}

func (r *bzip2Reader) decode(at int64) error {
	if at >= r.end && !(r.whole && at == firstBlock) {
		r.bound()
	}
	if err := r.d.block(); err != nil {
		return err
	}
	r.sum = (r.sum<<1 | r.sum>>31) ^ r.d.want
	r.inBlock, r.inStream = true, true
	return nil
}

// findBlock finds and decodes the first block of a part that does not begin at offset 0. It returns
// io.EOF if no block follows.
func (r *bzip2Reader) findBlock() error {
	b := &r.d.bits
	for b.at() <= firstBlock && b.more() {
		b.take(8) // the first block of a file belongs to the part that starts at offset 0
	}
	for marker := b.take48(); marker != blockMarker; marker = marker<<1&markerMask | uint64(b.take(1)) {
		if err := b.fault(); err == io.ErrUnexpectedEOF {
			r.bound()
			return io.EOF
		} else if err != nil {
			return err
		}
	}
	r.at = b.at() - 6
	return r.decode(r.at)
}

func (r *bzip2Reader) header() error {
	head := r.d.bits.take(32)
	if err := r.d.bits.fault(); err != nil {
		return err
	}
	level := int(head&0xff) - '0'
	if head>>8 != 'B'<<16|'Z'<<8|'h' || level < 1 || level > 9 {
		return fmt.Errorf("%w: the start of a stream is missing", errBzip2)
	}
	r.d.level, r.sum, r.summed, r.inStream = level, 0, true, true
	return nil
}

// finish reads the end of a stream. It verifies the checksum only if the stream was read from its
// start.
func (r *bzip2Reader) finish() error {
	want := r.d.bits.take(32)
	r.d.bits.align()
	if err := r.d.bits.fault(); err != nil {
		return err
	}
	if r.summed && want != r.sum {
		return fmt.Errorf("%w: a stream has a wrong checksum", errBzip2)
	}
	r.inStream = false
	return nil
}
