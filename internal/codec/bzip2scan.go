package codec

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// Markers of bzip2 take 48 bits and lie at any bit.
const (
	blockMarker = 0x314159265359
	endMarker   = 0x177245385090
	markerBits  = 48
	markerMask  = 1<<markerBits - 1
)

// maxPackedBlock bounds the compressed bytes of a block: its 900,000 bytes become a little more at worst.
const maxPackedBlock = 2 << 20

// blockScanner finds the blocks of a bzip2 file from any byte on.
type blockScanner struct {
	r      *bufio.Reader
	pos    int64  // in the file, of the byte after raw
	raw    []byte // read, and not yet handed out
	window uint64 // the last bytes of raw
	bit    int    // where in raw[0] the current block's marker begins
	found  bool   // there is a current block
}

func newBlockScanner(r io.Reader, pos int64) *blockScanner {
	return &blockScanner{r: bufio.NewReaderSize(r, 64<<10), pos: pos}
}

func (s *blockScanner) skip(n int) {
	k, _ := s.r.Discard(n) // what cannot be read is told by next
	s.pos += int64(k)
}

// next appends the next block to dst, as a stream of its own, and tells which byte of the file it begins in. io.EOF when no
// block is left.
func (s *blockScanner) next(dst []byte) (begin int64, stream []byte, err error) {
	for !s.found {
		at, end, err := s.marker(true)
		if err != nil {
			return 0, dst, err
		}
		s.from(at)
		s.found = !end
	}
	begin = s.pos - int64(len(s.raw))
	at, end, err := s.marker(false)
	if err != nil {
		return begin, dst, unexpected(err)
	}
	if dst, err = dress(dst, s.raw, s.bit, at); err != nil {
		return begin, dst, err
	}
	s.from(at)
	s.found = !end
	return begin, dst, nil
}

// from forgets what lies before a bit of raw.
func (s *blockScanner) from(bit int) {
	s.raw = append(s.raw[:0], s.raw[bit/8:]...)
	s.bit = bit % 8
}

// marker reads up to the end of the next marker and gives the bit of raw that it begins at. Bytes before it may be forgotten.
func (s *blockScanner) marker(forget bool) (bit int, end bool, err error) {
	for {
		b, err := s.r.ReadByte()
		if err != nil {
			return 0, false, err
		}
		s.raw, s.window = append(s.raw, b), s.window<<8|uint64(b)
		s.pos++
		for after := 7; after >= 0; after-- {
			v := s.window >> after & markerMask
			if v != blockMarker && v != endMarker {
				continue
			}
			if bit = 8*len(s.raw) - after - markerBits; bit >= 0 {
				return bit, v == endMarker, nil
			}
		}
		if len(s.raw) < maxPackedBlock {
			continue
		}
		if !forget {
			return 0, false, errors.New("a block is longer than blocks can be")
		}
		s.from(8 * (len(s.raw) - 8))
	}
}

// dress makes a stream of the block in the bits [from, to) of raw: its checksum is the stream's as well.
func dress(dst, raw []byte, from, to int) ([]byte, error) {
	if to-from < markerBits+32 {
		return dst, errors.New("a block is too short to be one")
	}
	w := bitWriter{b: append(dst, "BZh9"...)}
	for ; to-from >= 32; from += 32 {
		w.add(bitsAt(raw, from, 32), 32)
	}
	for ; from < to; from++ {
		w.add(bitsAt(raw, from, 1), 1)
	}
	w.add(endMarker, markerBits)
	// The block's own checksum follows its marker.
	crc := bitsAt(w.b, 8*len("BZh9")+markerBits, 32)
	w.add(crc, 32)
	return w.end(), nil
}

// bitsAt gives n bits, at most 32, that begin at a bit of b.
func bitsAt(b []byte, bit, n int) uint64 {
	var eight [8]byte
	copy(eight[:], b[bit/8:min(bit/8+8, len(b))])
	return binary.BigEndian.Uint64(eight[:]) << (bit % 8) >> (64 - n)
}

// bitWriter appends numbers of so many bits.
type bitWriter struct {
	b   []byte
	acc uint64
	n   int // bits in acc, fewer than 8 between calls
}

func (w *bitWriter) add(v uint64, n int) {
	w.acc, w.n = w.acc<<n|v, w.n+n
	for ; w.n >= 8; w.n -= 8 {
		w.b = append(w.b, byte(w.acc>>(w.n-8)))
	}
}

// end fills up the last byte with zeros.
func (w *bitWriter) end() []byte {
	w.add(0, (8-w.n)%8)
	return w.b
}
