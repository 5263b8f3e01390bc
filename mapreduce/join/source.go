package join

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// source is a sequence of sorted records. Callers read it key by key.
type source interface {
	// key returns the current key, or nil at the end. The key is valid until the next take or drop.
	key() []byte
	// take appends all values of the current key to dst, and drop skips them. Both move to the next
	// key.
	take(dst *values) error
	drop() error
	types() (key, value mapreduce.Type)
	progress() float32
	close() error
}

// maxValues is the maximum total size of one input's values for a key, in bytes. The values stay in
// memory.
const maxValues = 1 << 30

// values is a list of byte strings in a single buffer.
type values struct {
	data []byte
	ends []int
}

func (v *values) reset()     { v.data, v.ends = v.data[:0], v.ends[:0] }
func (v *values) count() int { return len(v.ends) }

func (v *values) at(i int) []byte {
	start := 0
	if i > 0 {
		start = v.ends[i-1]
	}
	return v.data[start:v.ends[i]]
}

func (v *values) add(b []byte) error {
	if len(v.data)+len(b) > maxValues {
		return failure.New(failure.Limit, "join", "", fmt.Errorf("the values of one key in one input have "+
			"more than %d bytes",
			maxValues))
	}
	v.data = append(v.data, b...)
	v.ends = append(v.ends, len(v.data))
	return nil
}

// rows reads the records of a file, one record ahead.
type rows struct {
	r              mapreduce.RecordReader
	keyType, value mapreduce.Type
	by             mapreduce.Comparator
	name           string
	k, v           []byte
	ended          bool
}

func newRows(r mapreduce.RecordReader, key, value mapreduce.Type, by mapreduce.Comparator, name string) (*rows, error) {
	s := &rows{r: r, keyType: key, value: value, by: by, name: name, k: []byte{}}
	if err := s.next(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return s, nil
}

func (s *rows) next() error {
	k, v, err := s.r.Next()
	if err == io.EOF {
		s.ended = true
		return nil
	}
	if err == nil {
		s.k, s.v = append(s.k[:0], k...), append(s.v[:0], v...)
	}
	return err
}

func (s *rows) key() []byte {
	if s.ended {
		return nil
	}
	return s.k
}

func (s *rows) take(dst *values) error { return s.each(func() error { return dst.add(s.v) }) }
func (s *rows) drop() error            { return s.each(func() error { return nil }) }

// each calls f for every record of the current key and then moves to the next key.
func (s *rows) each(f func() error) error {
	first := bytes.Clone(s.k)
	for {
		if err := f(); err != nil {
			return err
		}
		if err := s.next(); err != nil || s.ended {
			return err
		}
		switch x := s.by.Compare(first, s.k); {
		case x < 0:
			return nil
		case x > 0:
			return failure.New(failure.User, "join", s.name, errors.New("its keys are not sorted")).Fix("sort the inputs first")
		}
	}
}

func (s *rows) types() (key, value mapreduce.Type) { return s.keyType, s.value }

func (s *rows) progress() float32 { return s.r.Progress() }
func (s *rows) close() error      { return s.r.Close() }

// pack concatenates byte strings, each with its length.
func pack(parts [][]byte) (out []byte) {
	for _, p := range parts {
		out = append(binary.AppendUvarint(out, uint64(len(p))), p...)
	}
	return out
}

// unpack splits the result of pack into its n parts.
func unpack(b []byte, n int) (parts [][]byte, err error) {
	for range n {
		size, w := binary.Uvarint(b)
		if w <= 0 || size > uint64(len(b)-w) {
			return nil, badSplit()
		}
		parts = append(parts, b[w:w+int(size)])
		b = b[w+int(size):]
	}
	if len(b) > 0 {
		return nil, badSplit()
	}
	return parts, nil
}

func badSplit() error {
	return failure.New(failure.Corrupt, "decode", "split", errors.New("not a split of joined inputs"))
}
