package codec

import (
	"fmt"
	"io"
	"sync"
)

// Markers of bzip2 are before blocks and at the end of a stream; they lie at any bit.
const (
	blockMarker = 0x314159265359
	endMarker   = 0x177245385090
	markerMask  = 1<<48 - 1
)

// firstBlock is where the first block of a file begins: behind "BZh9".
const firstBlock = 4

// bzip2Reader reads the streams of a file, or from the first block of a part of it on.
type bzip2Reader struct {
	d        *bzip2Decoder
	src      *watched
	at       int64 // of the last marker, in the file
	out      int64 // bytes delivered
	boundary int64
	known    bool // boundary is
	end      int64
	whole    bool   // the part starts with the file
	inBlock  bool   // a block is being delivered
	inStream bool   // a marker comes next, else a header
	sum      uint32 // of the stream's blocks
	summed   bool   // the stream was seen from its start
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
	d.level = 9 // until a header says it
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
				r.err = short // what was decoded behind the end says nothing
			}
			continue
		}
		if n := r.d.expand(p); n > 0 {
			r.out += int64(n)
			return n, nil
		}
		r.inBlock = false
		if ^r.d.crc != r.d.want {
			r.err = fmt.Errorf("%w: wrong checksum of a block", errBzip2)
		}
	}
	if r.err == nil || r.err == io.EOF || r.d == nil {
		return 0, r.err
	}
	return 0, r.src.faultAt(r.err, r.at)
}

// nextBlock goes to the next block and decodes it. io.EOF where no further stream begins.
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
	return fmt.Errorf("%w: neither a block nor the end of a stream", errBzip2)
}

// bound notes that the part ends here, if it did not end before.
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

// findBlock looks for the first block of a part, which any marker of a block is.
func (r *bzip2Reader) findBlock() error {
	b := &r.d.bits
	for b.at() <= firstBlock && b.more() {
		b.take(8) // the first block belongs to the part that starts with the file
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
		return fmt.Errorf("%w: no stream begins where one should", errBzip2)
	}
	r.d.level, r.sum, r.summed, r.inStream = level, 0, true, true
	return nil
}

// finish ends a stream. Of one that was not seen from its start the checksum is not known.
func (r *bzip2Reader) finish() error {
	want := r.d.bits.take(32)
	r.d.bits.align()
	if err := r.d.bits.fault(); err != nil {
		return err
	}
	if r.summed && want != r.sum {
		return fmt.Errorf("%w: wrong checksum of a stream", errBzip2)
	}
	r.inStream = false
	return nil
}
