package disk

import (
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"os"

	"github.com/howdah/howdah/job/failure"
)

// Sum is the size and a checksum of a file's content. It detects accidental damage.
type Sum struct {
	Size int64
	CRC  uint32 // CRC32C
}

// Summer computes the Sum of everything written to it.
type Summer struct {
	size int64
	hash hash.Hash32
}

// NewSummer returns a Summer to which nothing has been written.
func NewSummer() *Summer { return &Summer{hash: crc32.New(crc32.MakeTable(crc32.Castagnoli))} }

// Write implements io.Writer. It never fails.
func (s *Summer) Write(b []byte) (int, error) {
	s.size += int64(len(b))
	return s.hash.Write(b)
}

// Sum returns the sum of all bytes written so far.
func (s *Summer) Sum() Sum { return Sum{s.size, s.hash.Sum32()} }

// SumOf reads a file and returns its sum.
func SumOf(name string) (Sum, error) {
	f, err := os.Open(name)
	if err != nil {
		return Sum{}, failure.New(failure.KindOf(err), "read", name, errors.Unwrap(err))
	}
	defer f.Close()
	s := NewSummer()
	if _, err := io.Copy(s, f); err != nil {
		return Sum{}, failure.New(failure.KindOf(err), "read", name, errors.Unwrap(err))
	}
	return s.Sum(), nil
}

// check returns an error of kind Corrupt if the content of an open file with the given status does not
// match the sum. It reads at most one byte more than the sum covers.
func (s Sum) check(f *os.File, info os.FileInfo) error {
	var err error
	got := NewSummer()
	switch {
	case !info.Mode().IsRegular():
		err = errors.New("it is not a regular file")
	case info.Size() != s.Size:
		err = fmt.Errorf("the file has %d bytes, expected %d", info.Size(), s.Size)
	default:
		if _, err := io.Copy(got, io.LimitReader(f, s.Size+1)); err != nil {
			return failure.New(failure.KindOf(err), "read", f.Name(), errors.Unwrap(err))
		}
		if got.Sum() == s {
			return nil
		}
		err = errors.New("the file has changed: its checksum is wrong")
	}
	return failure.New(failure.Corrupt, "check", f.Name(), err)
}
