// Package avro reads Avro object container files as text, one line per datum. It has its own small
// reader because the available libraries slow down the start of every process that links them.
package avro

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/s2"

	"github.com/howdah/howdah/internal/codec"
	"github.com/howdah/howdah/job/failure"
)

const (
	magic    = "Obj\x01"
	syncSize = 16
	maxMeta  = 64 << 20 // maximum size of the header, in bytes
	maxBlock = 1 << 30  // maximum size of a block, compressed or not, in bytes
)

// Is reports whether b looks like the beginning of an Avro file.
func Is(b []byte) bool { return len(b) >= 3 && string(b[:3]) == magic[:3] }

// Reader reads an Avro file. It is not safe for concurrent use. For damaged data, the error is of
// kind Corrupt and contains the file name and the position. For an unknown codec, NewReader returns
// an error of kind Config.
type Reader struct {
	src    io.Reader
	r      *bufio.Reader
	name   string
	pos    int64
	schema *schema
	codec  string
	sync   [syncSize]byte
	stop   int64 // the reader ignores blocks that start at or after this position
	packed []byte
	block  []byte
	left   int64 // number of values left in the block
	begin  int64 // position at which the block starts
	d      decoder
}

// NewReader reads the header from r and returns a Reader. Error messages contain name, the name of
// the file.
func NewReader(r io.Reader, name string, style Style) (*Reader, error) {
	a := &Reader{src: r, r: bufio.NewReaderSize(r, 128<<10), name: name, stop: math.MaxInt64, d: decoder{style: style}}
	meta, err := a.header()
	if err != nil {
		return nil, a.at(a.pos, err)
	}
	if a.schema, err = parseSchema(meta["avro.schema"]); err != nil {
		return nil, a.at(0, err)
	}
	a.codec = string(meta["avro.codec"])
	if !slices.Contains([]string{"", "null", "deflate", "snappy", "bzip2", "zstandard"}, a.codec) {
		return nil, failure.New(failure.Config, "read Avro file", name, fmt.Errorf("unsupported codec %s", a.codec))
	}
	return a, nil
}

func (a *Reader) at(pos int64, err error) error {
	kind := failure.KindOf(err)
	if kind == failure.Unknown {
		kind = failure.Corrupt
	}
	return failure.New(kind, "read Avro file", fmt.Sprintf("%s at byte %d", a.name, pos), err)
}

// full appends the next n bytes of the file to dst. It allocates memory only as data arrives, so a
// damaged length cannot exhaust memory.
func (a *Reader) full(dst []byte, n int64) ([]byte, error) {
	for n > 0 {
		k, at := int(min(n, 1<<20)), len(dst)
		dst = slices.Grow(dst, k)[:at+k]
		m, err := io.ReadFull(a.r, dst[at:])
		a.pos += int64(m)
		if err != nil {
			return dst[:at+m], storage(err)
		}
		n -= int64(k)
	}
	return dst, nil
}

// storage converts a read error without a kind into an error of kind IO. It returns io.EOF,
// io.ErrUnexpectedEOF, and errors with a kind unchanged.
func storage(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF || failure.KindOf(err) != failure.Unknown {
		return err
	}
	return failure.New(failure.IO, "", "", err)
}

func (a *Reader) long() (int64, error) {
	var u uint64
	for shift := 0; shift < 64; shift += 7 {
		b, err := a.r.ReadByte()
		if err != nil {
			if shift > 0 && err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return 0, storage(err)
		}
		a.pos++
		if u |= uint64(b&0x7f) << shift; b < 0x80 {
			return int64(u>>1) ^ -int64(u&1), nil
		}
	}
	return 0, errors.New("a number has more than 64 bits")
}

func (a *Reader) header() (map[string][]byte, error) {
	b, err := a.full(nil, int64(len(magic)))
	if err != nil || string(b) != magic {
		return nil, errors.New("the file does not start like an Avro file")
	}
	meta := map[string][]byte{}
	total := int64(0)
	counted := func() ([]byte, error) {
		n, err := a.long()
		if total += n; err == nil && (n < 0 || total > maxMeta) {
			err = errors.New("the header is too large")
		}
		if err != nil {
			return nil, err
		}
		return a.full(nil, n)
	}
	for {
		n, err := a.long()
		if err == nil && n < 0 {
			n = -n
			_, err = a.long()
		}
		if err != nil {
			return nil, ended(err)
		}
		if n == 0 {
			break
		}
		for ; n > 0; n-- {
			key, err := counted()
			if err != nil {
				return nil, ended(err)
			}
			if meta[string(key)], err = counted(); err != nil {
				return nil, ended(err)
			}
			if total++; total > maxMeta {
				return nil, errors.New("the header is too large")
			}
		}
	}
	s, err := a.full(nil, syncSize)
	copy(a.sync[:], s)
	return meta, ended(err)
}

func ended(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Next returns the text of the next datum, or io.EOF at the end. The text is valid until the next
// call.
func (a *Reader) Next() ([]byte, error) {
	for a.left == 0 {
		if a.begin = a.pos; a.begin >= a.stop {
			return nil, io.EOF
		}
		if err := a.nextBlock(); err == io.EOF {
			return nil, io.EOF
		} else if err != nil {
			return nil, a.at(a.begin, err)
		}
	}
	a.left--
	a.d.out, a.d.depth, a.d.empty = a.d.out[:0], 0, 0
	err := a.d.value(a.schema)
	if err == nil && a.left == 0 && len(a.d.b) > 0 {
		err = errors.New("the block has more bytes than its values need")
	}
	if err != nil {
		return nil, a.at(a.begin, err)
	}
	return a.d.out, nil
}

// nextBlock reads a block and the following sync marker. It returns io.EOF at the end of the file.
func (a *Reader) nextBlock() error {
	n, err := a.long()
	if err != nil {
		return err
	}
	size, err := a.long()
	if err != nil {
		return ended(err)
	}
	if n < 0 || size < 0 || size > maxBlock {
		return fmt.Errorf("a block has %d values and %d bytes", n, size)
	}
	if a.packed, err = a.full(a.packed[:0], size); err != nil {
		return ended(err)
	}
	s, err := a.full(a.packed, syncSize)
	if err != nil {
		return ended(err)
	}
	if !bytes.Equal(s[size:], a.sync[:]) {
		return errors.New("the sync marker after a block differs from that in the header")
	}
	if a.d.b, err = a.decompress(); err != nil {
		return err
	}
	if n > int64(len(a.d.b))+maxEmpty {
		return fmt.Errorf("a block has %d values in %d bytes", n, len(a.d.b))
	}
	a.left = n
	return nil
}

func (a *Reader) decompress() ([]byte, error) {
	var err error
	switch a.codec {
	case "deflate":
		r := io.LimitReader(flate.NewReader(bytes.NewReader(a.packed)), maxBlock)
		w := bytes.NewBuffer(a.block[:0])
		_, err = io.Copy(w, r)
		a.block = w.Bytes()
		return a.block, err
	case "snappy":
		return a.snappy()
	case "bzip2", "zstandard":
		c, err := codec.ByClass(map[string]string{"bzip2": "BZip2Codec", "zstandard": "ZStandardCodec"}[a.codec])
		if err != nil {
			return nil, err
		}
		a.block, err = c.AppendDecodedStream(a.block[:0], a.packed, maxBlock)
		return a.block, err
	}
	return a.packed, nil
}

// snappy decompresses the current block, which ends with a checksum, and verifies the checksum.
func (a *Reader) snappy() ([]byte, error) {
	n := len(a.packed) - 4
	if n < 0 {
		return nil, io.ErrUnexpectedEOF
	}
	size, err := s2.DecodedLen(a.packed[:n])
	if err != nil || size > maxBlock || size/24 > n {
		return nil, errors.Join(err, fmt.Errorf("%d bytes of snappy data declare a decompressed size of %d", n, size))
	}
	if a.block, err = s2.Decode(a.block[:cap(a.block)], a.packed[:n]); err != nil {
		return nil, err
	}
	if crc32.ChecksumIEEE(a.block) != binary.BigEndian.Uint32(a.packed[n:]) {
		return nil, errors.New("a block has a wrong checksum")
	}
	return a.block, nil
}

// Part restricts the reader to a part of the file, namely the blocks between the first sync marker
// at or after start and the first one at or after end. Adjacent parts together contain each datum
// exactly once. The source must be an io.Seeker. Call Part before the first Next.
func (a *Reader) Part(start, end int64) error {
	a.stop = end + syncSize
	if start+syncSize <= a.pos {
		return nil
	}
	s, ok := a.src.(io.Seeker)
	if !ok {
		return failure.New(failure.Usage, "read a part of an Avro file", a.name, errors.New("the source is a stream, "+
			"which cannot seek"))
	}
	if _, err := s.Seek(start, io.SeekStart); err != nil {
		return failure.New(failure.KindOf(err), "seek in Avro file", a.name, err)
	}
	a.r.Reset(a.src)
	a.pos = start
	for {
		b, err := a.r.Peek(a.r.Size())
		i := bytes.Index(b, a.sync[:])
		skip := i + syncSize
		if i < 0 {
			skip = max(len(b)-syncSize+1, 0)
			if err != nil {
				skip = len(b)
			}
		}
		_, _ = a.r.Discard(skip) // cannot fail because Peek has buffered these bytes
		a.pos += int64(skip)
		if i >= 0 || err == io.EOF {
			return nil
		}
		if err != nil {
			return a.at(a.pos, storage(err))
		}
	}
}

// Position returns the reader's position in the file.
func (a *Reader) Position() int64 { return a.pos }
