package streaming

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce/typedbytes"
)

const binaryBuffer = 256 << 10 // bytes

// rawReader reads keys and values with a 4-byte length prefix, which is the encoding of
// BytesWritable.
type rawReader struct {
	in         *bufio.Reader
	limit      int
	key, value []byte
	read       int64
}

func newRawReader(in io.Reader, limit int) *rawReader {
	return &rawReader{in: bufio.NewReaderSize(in, binaryBuffer), limit: limit}
}

func (r *rawReader) next() (key, value []byte, err error) {
	if r.key, err = r.half(r.key); err != nil {
		return nil, nil, err
	}
	if r.value, err = r.half(r.value); err == io.EOF {
		err = r.damaged(io.ErrUnexpectedEOF)
	}
	return r.key, r.value, err
}

// half reads a key or a value into b and returns it.
func (r *rawReader) half(b []byte) ([]byte, error) {
	b, err := r.take(b[:0], 4)
	if err == io.ErrUnexpectedEOF {
		return b, r.damaged(err)
	}
	if err != nil {
		return b, err
	}
	n := int32(binary.BigEndian.Uint32(b))
	if n < 0 {
		return b, r.damaged(fmt.Errorf("length %d", n))
	}
	if int(n) > r.limit {
		return b, failure.New(failure.RecordTooLarge, "read", r.where(), fmt.Errorf("a record has %d bytes; the "+
			"limit is %d",
			n, r.limit)).
			Fix("raise mapreduce.map.memory.mb or mapreduce.reduce.memory.mb")
	}
	if b, err = r.take(b, int(n)); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = r.damaged(io.ErrUnexpectedEOF)
	}
	return b, err
}

// take appends the next n bytes to b. It reads in several steps because n comes from the command
// and can be wrong.
func (r *rawReader) take(b []byte, n int) ([]byte, error) {
	for n > 0 {
		k := min(n, 1<<20)
		at := len(b)
		if cap(b) < at+k {
			b = append(b, make([]byte, k)...)
		}
		b = b[:at+k]
		m, err := io.ReadFull(r.in, b[at:])
		r.read += int64(m)
		if err != nil {
			return b[:at+m], err
		}
		n -= k
	}
	return b, nil
}

func (r *rawReader) where() string { return fmt.Sprintf("the command's raw bytes at byte %d", r.read) }

func (r *rawReader) damaged(err error) error {
	return failure.New(failure.User, "read", r.where(), err).Fix("write a 4-byte big-endian length before " +
		"each key and each value")
}

// typedReader reads records in typed bytes.
type typedReader struct {
	in         *typedbytes.Reader
	key, value []byte
}

func newTypedReader(in io.Reader, limit int) *typedReader {
	return &typedReader{in: typedbytes.NewReader(bufio.NewReaderSize(in, binaryBuffer), limit)}
}

func (r *typedReader) next() (key, value []byte, err error) {
	if r.key, err = r.half(r.key); err != nil {
		return nil, nil, err
	}
	if r.value, err = r.half(r.value); err == io.EOF {
		err = failure.New(failure.User, "read", "the command's typed bytes",
			io.ErrUnexpectedEOF).Fix("write a value after each key")
	}
	return r.key, r.value, err
}

// half reads a key or a value into b as a TypedBytesWritable, including the length, and returns it.
func (r *typedReader) half(b []byte) ([]byte, error) {
	b, err := r.in.Append(append(b[:0], 0, 0, 0, 0))
	if err == nil {
		binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	}
	return b, err
}
