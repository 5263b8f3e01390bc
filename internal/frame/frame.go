// Package frame sends protobuf messages over a stream. A message is a 4-byte big-endian length
// followed by that many bytes. TaskTrackers and their child processes use it
// (internal/wire/umbilical.proto).
package frame

import (
	"encoding/binary"
	"fmt"
	"io"

	"google.golang.org/protobuf/proto"

	"github.com/howdah/howdah/job/failure"
)

// MaxSize is the maximum size of a message, in bytes. Both ends reject larger messages.
const MaxSize = 16 << 20

// Reader reads messages from one stream. It is not safe for concurrent use.
type Reader struct {
	r    io.Reader
	head [4]byte
	buf  []byte
}

// NewReader returns a Reader. Wrap r in a bufio.Reader if its reads are expensive.
func NewReader(r io.Reader) *Reader { return &Reader{r: r} }

// Read fills m with the next message. If the stream ends between two messages, it returns io.EOF.
// If the stream ends inside a message, it returns io.ErrUnexpectedEOF. If the bytes are not a
// message, or the length exceeds MaxSize, the error is of kind Corrupt.
func (r *Reader) Read(m proto.Message) error {
	if _, err := io.ReadFull(r.r, r.head[:]); err != nil {
		return err
	}
	n := binary.BigEndian.Uint32(r.head[:])
	if n > MaxSize {
		return failure.New(failure.Corrupt, "read message", "",
			fmt.Errorf("got a length of %d bytes; the limit is %d", n, MaxSize))
	}
	if uint32(cap(r.buf)) < n {
		// The buffer grows as bytes arrive, so a large length prefix alone does not allocate
		// memory.
		b, err := io.ReadAll(io.LimitReader(r.r, int64(n)))
		if err != nil {
			return err
		}
		r.buf = b
	} else {
		r.buf = r.buf[:n]
		if _, err := io.ReadFull(r.r, r.buf); err != nil {
			return unexpected(err)
		}
	}
	if uint32(len(r.buf)) < n {
		return io.ErrUnexpectedEOF
	}
	if err := proto.Unmarshal(r.buf, m); err != nil {
		return failure.New(failure.Corrupt, "read message", "", err)
	}
	return nil
}

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Writer writes messages to one stream. Each message is a single Write. A Writer is not safe for
// concurrent use.
type Writer struct {
	w   io.Writer
	buf []byte
}

// NewWriter returns a Writer.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write sends m. If the message is larger than MaxSize, Write sends nothing and the error is of
// kind Limit.
func (w *Writer) Write(m proto.Message) error {
	b, err := proto.MarshalOptions{}.MarshalAppend(append(w.buf[:0], 0, 0, 0, 0), m)
	if err != nil {
		return failure.New(failure.Internal, "write message", "", err)
	}
	w.buf = b
	if n := len(b) - 4; n > MaxSize {
		w.buf = nil
		return failure.New(failure.Limit, "write message", "", fmt.Errorf("the message has %d bytes; the "+
			"limit is %d", n, MaxSize))
	}
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	_, err = w.w.Write(b)
	return err
}
