package streaming

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/howdah/howdah/internal/heap"
	"github.com/howdah/howdah/job/failure"
)

// lineReader splits a stream into lines that end in \n, \r\n or \r, like Hadoop. The lines are
// views of its buffer. The caller can overwrite the bytes before a line (see room) with the length
// prefix that makes the line a Text.
type lineReader struct {
	in         io.Reader
	limit      int // maximum length of a line, in bytes
	buf        []byte
	start, end int   // unread bytes; start is at least room
	newline    int   // the unread bytes before this position contain no \n
	delivered  int64 // total bytes of the returned lines
	eof        bool
}

const (
	room       = 8         // space for a length prefix, in bytes
	lineBuffer = 512 << 10 // initial size in bytes; the buffer grows with the longest line
	smallRead  = 64 << 10  // minimum free space for a read, in bytes; with less, compact the buffer first
)

func newLineReader(in io.Reader, limit int) *lineReader {
	return &lineReader{in: in, limit: limit, buf: make([]byte, lineBuffer), start: room, end: room}
}

// line returns the position of the next line in the buffer, or io.EOF after the last line. The
// position is valid until the next call.
func (r *lineReader) line() (start, end int, err error) {
	from := r.start // no line ends before this position
	for {
		end, next := r.ending(from)
		if next < 0 && r.eof {
			if end, next = r.end, r.end; r.start == r.end {
				return 0, 0, io.EOF
			}
		}
		if next >= 0 {
			start = r.start
			r.delivered += int64(next - start)
			r.start = next
			return start, end, nil
		}
		from = end - r.start
		if err := r.fill(); err != nil {
			return 0, 0, err
		}
		from += r.start
	}
}

// ending searches for the end of the line, starting at from. It returns the end of the line and the
// start of the next one. If next is negative, the caller must read more bytes and continue the
// search at end.
func (r *lineReader) ending(from int) (end, next int) {
	at := max(r.newline, from)
	if i := bytes.IndexByte(r.buf[at:r.end], '\n'); i >= 0 {
		r.newline = at + i
	} else {
		r.newline = r.end
	}
	if i := bytes.IndexByte(r.buf[from:r.newline], '\r'); i >= 0 {
		end = from + i
		switch {
		case end+1 < r.end && r.buf[end+1] == '\n':
			return end, end + 2
		case end+1 < r.end || r.eof:
			return end, end + 1
		}
		return end, -1 // the next byte may be \n
	}
	if r.newline < r.end {
		return r.newline, r.newline + 1
	}
	return r.end, -1
}

// fill reads more bytes with a single Read.
func (r *lineReader) fill() error {
	if len(r.buf)-r.end < smallRead {
		r.tidy()
	}
	if r.end-r.start > r.limit {
		return failure.New(failure.RecordTooLarge, "read", fmt.Sprintf("the command's output at byte %d", r.delivered),
			fmt.Errorf("a line has more than %d bytes", r.limit)).
			Fix("raise mapreduce.map.memory.mb or mapreduce.reduce.memory.mb")
	}
	n, err := r.in.Read(r.buf[r.end:])
	r.end += n
	if errors.Is(err, io.EOF) {
		r.eof = true
		return nil
	}
	return err
}

// tidy moves the unread bytes to the front and, if necessary, enlarges the buffer.
func (r *lineReader) tidy() {
	size := 0
	if r.end-r.start > len(r.buf)/2 {
		size = min(4*len(r.buf), room+r.limit+smallRead)
	}
	heap.Shift(&r.buf, room, r.start, r.end, size)
	r.newline = max(r.newline-r.start, 0) + room
	r.end += room - r.start
	r.start = room
}
