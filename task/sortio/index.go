package sortio

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"

	"github.com/howdah/howdah/job/failure"
)

// Entry contains the position, size, and checksum of a partition's segment in a map output. The
// zero Entry is an empty partition.
type Entry struct {
	Start int64  // offset in the file
	Raw   int64  // length of the records before compression, without frame headers
	Part  int64  // length in the file
	CRC   uint32 // checksum of the last frame, which covers all frames
	// MaxKey is the length of the largest key in bytes. A merge holds one key of each run, so
	// MaxKey determines a merge's memory.
	MaxKey uint32
}

// Index lists the segments of a map output, one per partition. In a file, it follows the segments.
type Index []Entry

// MaxKey returns the length of the largest key in all segments.
func (x Index) MaxKey() int64 {
	var n uint32
	for _, e := range x {
		n = max(n, e.MaxKey)
	}
	return int64(n)
}

// Part returns the total size of all segments in the file.
func (x Index) Part() (n int64) {
	for _, e := range x {
		n += e.Part
	}
	return n
}

// Raw returns the total size of all segments before compression.
func (x Index) Raw() (n int64) {
	for _, e := range x {
		n += e.Raw
	}
	return n
}

// An index is at the end of its file and big-endian, as in Hadoop. It contains the entries, a magic
// number, the number of entries, and a CRC-32C over all preceding bytes of the index.
const (
	indexMagic = "HIX3"
	indexTail  = 12 // all but the entries
	entrySize  = 32 // in memory as well
)

// MaxPartitions is the maximum number of reducers.
const MaxPartitions = 1 << 20

// MarshalBinary returns the content of the end of a file.
func (x Index) MarshalBinary() ([]byte, error) {
	b := make([]byte, 0, len(x)*entrySize+indexTail)
	for _, e := range x {
		b = binary.BigEndian.AppendUint64(b, uint64(e.Start))
		b = binary.BigEndian.AppendUint64(b, uint64(e.Raw))
		b = binary.BigEndian.AppendUint64(b, uint64(e.Part))
		b = binary.BigEndian.AppendUint32(b, e.CRC)
		b = binary.BigEndian.AppendUint32(b, e.MaxKey)
	}
	b = append(b, indexMagic...)
	b = binary.BigEndian.AppendUint32(b, uint32(len(x)))
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b, castagnoli)), nil
}

// indexSize returns the size of the index that ends with b, or -1 if b is not the end of an index.
func indexSize(b []byte) int64 {
	if len(b) < indexTail {
		return -1
	}
	b = b[len(b)-indexTail:]
	n := int64(binary.BigEndian.Uint32(b[4:]))
	if string(b[:4]) != indexMagic || n > MaxPartitions {
		return -1
	}
	return n*entrySize + indexTail
}

// UnmarshalBinary decodes the output of MarshalBinary. Errors are of kind Corrupt.
func (x *Index) UnmarshalBinary(b []byte) error {
	bad := func(format string, args ...any) error {
		return failure.New(failure.Corrupt, "read index", "", fmt.Errorf(format, args...))
	}
	if int64(len(b)) != indexSize(b) {
		return bad("not an index of map output")
	}
	body := b[:len(b)-4]
	if sum, want := crc32.Checksum(body, castagnoli), binary.BigEndian.Uint32(b[len(body):]); sum != want {
		return bad("checksum is %08x instead of %08x", sum, want)
	}
	out := make(Index, len(b)/entrySize)
	for i := range out {
		p := b[i*entrySize:]
		e := Entry{
			Start:  int64(binary.BigEndian.Uint64(p)),
			Raw:    int64(binary.BigEndian.Uint64(p[8:])),
			Part:   int64(binary.BigEndian.Uint64(p[16:])),
			CRC:    binary.BigEndian.Uint32(p[24:]),
			MaxKey: binary.BigEndian.Uint32(p[28:]),
		}
		if e.Start < 0 || e.Raw < 0 || e.Part < 0 || e.Start+e.Part < 0 {
			return bad("partition %d has a negative length", i)
		}
		out[i] = e
	}
	*x = out
	return nil
}

// ReadIndex reads the index at the end of the file at path. It returns an error of kind Corrupt if
// the index is damaged, and of kind NotFound if the file is missing.
func ReadIndex(path string) (Index, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, ioError("open map output", path, err)
	}
	defer f.Close()
	return ReadIndexOf(f)
}

// ReadIndexOf is like ReadIndex, but for an open file.
func ReadIndexOf(f *os.File) (Index, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, ioError("read index", f.Name(), err)
	}
	size := info.Size()
	b := make([]byte, min(indexTail, size))
	if _, err := f.ReadAt(b, size-int64(len(b))); err != nil {
		return nil, ioError("read index", f.Name(), err)
	}
	if n := indexSize(b); n > indexTail && n <= size {
		b = make([]byte, n)
		if _, err := f.ReadAt(b, size-n); err != nil {
			return nil, ioError("read index", f.Name(), err)
		}
	}
	var x Index
	err = x.UnmarshalBinary(b)
	for p, e := range x {
		if e.Start+e.Part > size-int64(len(b)) {
			err = failure.New(failure.Corrupt, "read index", "", fmt.Errorf("partition %d is longer than the file", p))
		}
	}
	if err != nil {
		err.(*failure.Error).On = f.Name()
		return nil, err
	}
	return x, nil
}
