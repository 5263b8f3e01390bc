package sortio

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
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

// Index lists the segments of a file, one per partition.
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

// The index file is big-endian, as in Hadoop. It contains a magic number, the number of entries,
// the entries, and a CRC-32C over all preceding bytes.
const (
	indexMagic = "HIX2"
	indexHead  = 8
	entrySize  = 32 // in memory as well
	// maxIndex is the size of the largest index file that a reader accepts.
	maxIndex = indexHead + entrySize*MaxPartitions + 4
)

// MaxPartitions is the maximum number of reducers.
const MaxPartitions = 1 << 20

// MarshalBinary returns the content of the index file.
func (x Index) MarshalBinary() ([]byte, error) {
	b := make([]byte, 0, indexHead+len(x)*entrySize+4)
	b = append(b, indexMagic...)
	b = binary.BigEndian.AppendUint32(b, uint32(len(x)))
	for _, e := range x {
		b = binary.BigEndian.AppendUint64(b, uint64(e.Start))
		b = binary.BigEndian.AppendUint64(b, uint64(e.Raw))
		b = binary.BigEndian.AppendUint64(b, uint64(e.Part))
		b = binary.BigEndian.AppendUint32(b, e.CRC)
		b = binary.BigEndian.AppendUint32(b, e.MaxKey)
	}
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b, castagnoli)), nil
}

// UnmarshalBinary decodes the output of MarshalBinary. Errors are of kind Corrupt.
func (x *Index) UnmarshalBinary(b []byte) error {
	bad := func(format string, args ...any) error {
		return failure.New(failure.Corrupt, "read index", "", fmt.Errorf(format, args...))
	}
	if len(b) < indexHead+4 || string(b[:4]) != indexMagic {
		return bad("not an index of map output")
	}
	n := int64(binary.BigEndian.Uint32(b[4:]))
	if int64(len(b)) != indexHead+n*entrySize+4 {
		return bad("%d bytes for %d partitions", len(b), n)
	}
	body := b[:len(b)-4]
	if sum, want := crc32.Checksum(body, castagnoli), binary.BigEndian.Uint32(b[len(body):]); sum != want {
		return bad("checksum is %08x instead of %08x", sum, want)
	}
	out := make(Index, n)
	for i, p := 0, body[indexHead:]; i < len(out); i, p = i+1, p[entrySize:] {
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

// ReadIndex reads the index of a map output from the file at path. It returns an error of kind
// Corrupt if the index is damaged, and of kind NotFound if the index is missing.
func ReadIndex(path string) (Index, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, ioError("open index", path, err)
	}
	defer f.Close()
	return ReadIndexFrom(f, path)
}

// ReadIndexFrom is like ReadIndex, but for an open file. path is for error messages.
func ReadIndexFrom(f io.Reader, path string) (Index, error) {
	b, err := io.ReadAll(io.LimitReader(f, maxIndex+1))
	if err != nil {
		return nil, ioError("read index", path, err)
	}
	var x Index
	if err := x.UnmarshalBinary(b); err != nil {
		err.(*failure.Error).On = path
		return nil, err
	}
	return x, nil
}

// writeIndex writes a complete index file and then publishes the file under its name.
func writeIndex(path string, x Index) error {
	b, _ := x.MarshalBinary()
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, b, 0o640); err != nil {
		return ioError("write index", tmp, err)
	}
	if err := os.Rename(tmp, path); err != nil {
		return ioError("rename index", path, err)
	}
	return nil
}
