// Package frame carries protobuf messages over a stream: each is a 4-byte big-endian length and that many bytes. It is how a
// TaskTracker and its children talk (internal/wire/umbilical.proto).
package frame

import (
	"encoding/binary"
	"fmt"
	"io"

	"google.golang.org/protobuf/proto"

	"github.com/howdah/howdah/job/failure"
)

// MaxSize bounds one message, in bytes. Both ends refuse longer ones.
const MaxSize = 16 << 20

// Reader reads messages from one stream. It belongs to one goroutine.
type Reader struct {
	r    io.Reader
	head [4]byte
	buf  []byte
}

// NewReader makes a Reader; wrap r in a bufio.Reader where reads are dear.
func NewReader(r io.Reader) *Reader { return &Reader{r: r} }

// Read fills m with the next message. At the end of the stream between two messages it gives io.EOF; a stream that breaks
// off inside one is io.ErrUnexpectedEOF, what is not a message is kind Corrupt.
func (r *Reader) Read(m proto.Message) error {
	if _, err := io.ReadFull(r.r, r.head[:]); err != nil {
		return err
	}
	n := binary.BigEndian.Uint32(r.head[:])
	if n > MaxSize {
		return failure.New(failure.Corrupt, "read message", "", fmt.Errorf("%d bytes announced, at most %d are allowed", n, MaxSize))
	}
	if uint32(cap(r.buf)) < n {
		// The buffer grows with what arrives, so that an announced length alone costs no memory.
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

// Writer writes messages to one stream, each with a single Write. It belongs to one goroutine.
type Writer struct {
	w   io.Writer
	buf []byte
}

// NewWriter makes a Writer.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write sends m. A message above MaxSize is kind Limit and nothing of it is sent.
func (w *Writer) Write(m proto.Message) error {
	b, err := proto.MarshalOptions{}.MarshalAppend(append(w.buf[:0], 0, 0, 0, 0), m)
	if err != nil {
		return failure.New(failure.Internal, "write message", "", err)
	}
	w.buf = b
	if n := len(b) - 4; n > MaxSize {
		w.buf = nil
		return failure.New(failure.Limit, "write message", "", fmt.Errorf("%d bytes, at most %d are allowed", n, MaxSize))
	}
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	_, err = w.w.Write(b)
	return err
}
