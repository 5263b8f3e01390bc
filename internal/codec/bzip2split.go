package codec

import (
	stdbzip2 "compress/bzip2"
	"io"
)

// Splitter is a codec whose files can be read in parts.
type Splitter interface {
	Codec
	// NewSplitReader decompresses what begins in the bytes [start, end) of a file. r is at start. The rule is that of Hadoop's
	// SplittableCompressionCodec: a block belongs to the part that has the first byte of its marker, and the first block of
	// the file to the part that starts at 0.
	NewSplitReader(r io.Reader, start, end int64) SplitReader
}

// SplitReader decompresses one part of a file, and the blocks after it for as long as it is asked, since the last record
// may reach into them. Errors are those of Codec.NewReader.
type SplitReader interface {
	io.ReadCloser
	// Boundary gives the number of decompressed bytes that belong to the part. It is known before Read delivers a byte from
	// behind it.
	Boundary() (n int64, known bool)
}

// firstBlock is where the first block of a bzip2 file begins: behind "BZh9".
const firstBlock = 4

func (bzip2Codec) NewSplitReader(r io.Reader, start, end int64) SplitReader {
	src := &watched{Reader: r}
	s := &bzip2Split{src: src, blocks: newBlockScanner(src, start), whole: start == 0, end: end}
	if start > 0 && start <= firstBlock {
		s.blocks.skip(firstBlock + 1 - int(start))
	}
	s.dec = stdbzip2.NewReader(s)
	return s
}

// bzip2Split feeds a decoder with blocks, each dressed up as a stream of its own. The decoder reads byte by byte and asks
// for a block's first byte only when it has delivered all of the block before, so that the place of boundaries is exact.
type bzip2Split struct {
	src    *watched
	blocks *blockScanner
	dec    io.Reader
	whole  bool // the part starts at 0
	end    int64

	block    []byte // that the decoder reads
	off      int    // in block
	out      int64  // bytes delivered
	boundary int64
	known    bool
	err      error // why there is no further block
	closed   bool
}

func (s *bzip2Split) Boundary() (int64, bool) { return s.boundary, s.known }

func (s *bzip2Split) Close() error {
	s.closed = true
	return nil
}

func (s *bzip2Split) Read(p []byte) (int, error) {
	if s.closed {
		return 0, io.ErrClosedPipe
	}
	n, err := s.dec.Read(p)
	s.out += int64(n)
	if err != nil && s.err != nil {
		// The decoder calls an end unexpected when there was no block at all.
		err = s.err
	}
	return n, s.src.classify(err)
}

// ReadByte is what the decoder reads by.
func (s *bzip2Split) ReadByte() (byte, error) {
	if s.off == len(s.block) && s.err == nil {
		s.err = s.nextBlock()
	}
	if s.err != nil {
		return 0, s.err
	}
	s.off++
	return s.block[s.off-1], nil
}

func (s *bzip2Split) nextBlock() error {
	var at int64
	var err error
	at, s.block, err = s.blocks.next(s.block[:0])
	s.off = 0
	if !s.known && (err == io.EOF || err == nil && at >= s.end && !(s.whole && at == firstBlock)) {
		s.boundary, s.known = s.out, true
	}
	return err
}
