package codec

import "io"

// bitReader reads bits from a stream, the most significant bit of a byte first. After the end of
// the stream it returns zeros, so that a decoder needs to check for the end only occasionally.
type bitReader struct {
	r    io.Reader
	buf  []byte
	i, n int   // buf[i:n] is unread
	pos  int64 // offset of buf[n] in the file
	acc  uint64
	bits uint // number of valid bits in acc; they are the lowest bits
	past uint // number of zeros added to acc after the end of the stream
	err  error
}

const bitBuffer = 64 << 10

func (b *bitReader) reset(r io.Reader, pos int64) {
	if b.buf == nil {
		b.buf = make([]byte, bitBuffer)
	}
	*b = bitReader{r: r, buf: b.buf, pos: pos}
}

// fill makes at least 57 bits valid.
func (b *bitReader) fill() {
	for b.bits <= 56 {
		if b.i == b.n && !b.refill() {
			b.acc <<= 8
			b.past += 8
		} else {
			b.acc = b.acc<<8 | uint64(b.buf[b.i])
			b.i++
		}
		b.bits += 8
	}
}

func (b *bitReader) refill() bool {
	for tries := 0; b.err == nil; tries++ {
		if b.i, b.n = 0, 0; tries == 100 {
			b.err = io.ErrNoProgress
			break
		}
		b.n, b.err = b.r.Read(b.buf)
		if b.pos += int64(b.n); b.n > 0 {
			return true
		}
	}
	return false
}

// take reads n bits. n must be at most 32.
func (b *bitReader) take(n uint) uint32 {
	if b.bits < n {
		b.fill()
	}
	b.bits -= n
	return uint32(b.acc >> b.bits & (1<<n - 1))
}

// take48 reads 48 bits, the size of a marker.
func (b *bitReader) take48() uint64 { return uint64(b.take(24))<<24 | uint64(b.take(24)) }

// more reports whether another bit follows.
func (b *bitReader) more() bool {
	if b.bits == 0 {
		b.fill()
	}
	return b.bits > b.past
}

// align skips to the start of the next byte.
func (b *bitReader) align() { b.take(b.bits % 8) }

// at returns the file offset of the byte that contains the next bit.
func (b *bitReader) at() int64 {
	ahead := int64(b.bits) - int64(b.past)
	return b.pos - int64(b.n-b.i) - (max(ahead, 0)+7)/8
}

// fault returns an error if the decoder has read past the last bit: the stream's error, or
// io.ErrUnexpectedEOF if the stream ended.
func (b *bitReader) fault() error {
	switch {
	case b.past <= b.bits:
		return nil
	case b.err == io.EOF:
		return io.ErrUnexpectedEOF
	}
	return b.err
}
