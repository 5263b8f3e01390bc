package sequencefile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/howdah/howdah/internal/heap"
	"github.com/howdah/howdah/internal/vint"
	"github.com/howdah/howdah/job/failure"
)

// window is a buffered view that moves forward through a file. The result of take is valid until the
// next call.
type window struct {
	r    io.Reader
	buf  []byte
	i, n int   // unread: buf[i:n]
	pos  int64 // position of buf[i] in the file
	eof  bool
	max  int // maximum size of a single take, in bytes
}

const (
	readBuffer = 128 << 10
	growStep   = 1 << 20
)

func newWindow(r io.Reader, pos int64, max int) *window {
	return &window{r: r, buf: make([]byte, readBuffer), pos: pos, max: max}
}

// reset empties the buffer and continues at position pos. The caller must already have moved r to
// pos.
func (w *window) reset(pos int64) { w.i, w.n, w.pos, w.eof = 0, 0, pos, false }

// take returns the next n bytes. It returns io.EOF if no bytes are left, and io.ErrUnexpectedEOF if
// fewer than n bytes are left.
func (w *window) take(n int) ([]byte, error) {
	b, err := w.peek(n)
	if err == nil {
		w.i += n
		w.pos += int64(n)
	}
	return b, err
}

func (w *window) peek(n int) ([]byte, error) {
	if w.n-w.i < n {
		if err := w.need(n); err != nil {
			return nil, err
		}
	}
	return w.buf[w.i : w.i+n], nil
}

// need reads until n bytes are available. The buffer grows only as data arrives.
func (w *window) need(n int) error {
	if n > w.max {
		return failure.New(failure.RecordTooLarge, "", "", fmt.Errorf("got %d bytes; the limit is %d", n,
			w.max)).Fix("give the task more memory, or check whether the file is damaged")
	}
	for idle := 0; w.n-w.i < n; {
		if w.eof {
			if w.n == w.i {
				return io.EOF
			}
			return io.ErrUnexpectedEOF
		}
		w.room(n)
		k, err := w.r.Read(w.buf[w.n:])
		w.n += k
		switch {
		case err == io.EOF:
			w.eof = true
		case err != nil && failure.KindOf(err) == failure.Unknown:
			return failure.New(failure.IO, "", "", err)
		case err != nil:
			return err
		case k > 0:
			idle = 0
		default:
			if idle++; idle == 100 {
				return io.ErrNoProgress
			}
		}
	}
	return nil
}

// room makes space after the unread bytes. It moves them to the front and, if necessary, allocates
// a larger buffer.
func (w *window) room(n int) {
	if w.i+n <= len(w.buf) && w.n < len(w.buf) {
		return
	}
	have, size := w.n-w.i, 0
	if have > len(w.buf)/2 {
		size = min(n, max(4*len(w.buf), growStep))
	}
	heap.Shift(&w.buf, 0, w.i, w.n, size)
	w.i, w.n = 0, have
}

var errNegative = errors.New("a negative length")

// int reads a four-byte integer.
func (w *window) int() (int, error) {
	b, err := w.take(4)
	if err != nil {
		return 0, err
	}
	return int(int32(binary.BigEndian.Uint32(b))), nil
}

// vint reads a variable-length count.
func (w *window) vint() (int, error) {
	b, err := w.peek(1)
	if err != nil {
		return 0, err
	}
	if b, err = w.take(vint.Len(b[0])); err != nil {
		return 0, err
	}
	v, _ := vint.Long(b)
	if v < 0 || v > 1<<31-1 {
		return 0, errNegative
	}
	return int(v), nil
}
