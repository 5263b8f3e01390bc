// Package frame sends protobuf messages over a stream. A message is a 4-byte big-endian length
// followed by that many bytes. TaskTrackers and their child processes use it
// (internal/wire/umbilical.proto).
package frame

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"google.golang.org/protobuf/proto"

	"github.com/howdah/howdah/internal/pb"
	"github.com/howdah/howdah/job/failure"
)

// MaxSize is the maximum size of a message, in bytes. A Reader can have a lower limit.
const MaxSize = 16 << 20

// Reader reads messages from one stream. It is not safe for concurrent use.
type Reader struct {
	r     io.Reader
	size  int // maximum size of a message, in bytes
	parts int // maximum number of texts and messages in a message
	head  [4]byte
	next  int // size of the message whose length has been read; -1 if none
	buf   []byte
}

// keep is the maximum size of a buffer that a Reader keeps for later messages, in bytes.
const keep = 64 << 10

// NewReader returns a Reader for messages from a trusted process. It rejects messages of more than
// MaxSize bytes. Wrap r in a bufio.Reader if its reads are expensive.
func NewReader(r io.Reader) *Reader { return NewLimited(r, MaxSize, math.MaxInt) }

// NewLimited returns a Reader that rejects messages with more than size bytes, or with more than
// the given number of parts (pb.Parts). Without the limit on parts, a decoded message could occupy
// a hundred times its encoded size in memory.
func NewLimited(r io.Reader, size, parts int) *Reader {
	return &Reader{r: r, size: size, parts: parts, next: -1}
}

// Next waits for the next message and returns its size in bytes, but does not read it. If the
// stream ends before the message, Next returns io.EOF. If the message is too large, the error is of
// kind Limit.
func (r *Reader) Next() (int, error) {
	if r.next >= 0 {
		return r.next, nil
	}
	if _, err := io.ReadFull(r.r, r.head[:]); err != nil {
		return 0, err
	}
	n := binary.BigEndian.Uint32(r.head[:])
	if int64(n) > int64(r.size) {
		return 0, failure.New(failure.Limit, "read message", "",
			fmt.Errorf("got a length of %d bytes; the limit is %d", n, r.size))
	}
	r.next = int(n)
	return r.next, nil
}

// Read fills m with the next message. If the stream ends between two messages, it returns io.EOF.
// If the stream ends inside a message, it returns io.ErrUnexpectedEOF. If the message exceeds a limit
// of the Reader, the error is of kind Limit. If the bytes are not a valid message, the error is of
// kind Corrupt.
func (r *Reader) Read(m proto.Message) error {
	n, err := r.Next()
	if err != nil {
		return err
	}
	r.next = -1
	if cap(r.buf) < n {
		// The buffer grows as bytes arrive, so a large length prefix alone does not allocate
		// memory.
		if r.buf, err = io.ReadAll(io.LimitReader(r.r, int64(n))); err != nil {
			return err
		}
	} else {
		r.buf = r.buf[:n]
		if _, err := io.ReadFull(r.r, r.buf); err != nil {
			return unexpected(err)
		}
	}
	if len(r.buf) < n {
		return io.ErrUnexpectedEOF
	}
	b := r.buf
	if cap(b) > keep {
		r.buf = nil
	}
	if parts := pb.Parts(b, m.ProtoReflect().Descriptor(), r.parts); parts > r.parts {
		return failure.New(failure.Limit, "read message", "",
			fmt.Errorf("the message has more than %d parts", r.parts))
	}
	if err := proto.Unmarshal(b, m); err != nil {
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

// NewWriter returns a Writer that writes to w.
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
