package streaming

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/howdah/howdah/job/failure"
)

// lineReader cuts a stream into lines that end in \n, \r\n or \r, as Hadoop does. Lines lie in its buffer with room in front of
// them, where only what was delivered before lies: the length that makes a Text of them is written there.
type lineReader struct {
	in         io.Reader
	limit      int // of a line, in bytes
	buf        []byte
	start, end int   // what was read and not delivered; start is never below room
	newline    int   // there is no \n from start up to here
	delivered  int64 // bytes of lines
	eof        bool
}

const (
	room       = 8         // more bytes than a length takes
	lineBuffer = 512 << 10 // bytes; it grows with the longest line
	smallRead  = 64 << 10  // free bytes below which the buffer is tidied up before more is read
)

func newLineReader(in io.Reader, limit int) *lineReader {
	return &lineReader{in: in, limit: limit, buf: make([]byte, lineBuffer), start: room, end: room}
}

// line gives the place of the next line in the buffer, valid until the next call; io.EOF behind the last.
func (r *lineReader) line() (start, end int, err error) {
	from := r.start // no ending lies before
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

// ending looks for the end of the line from a position on: where it is and where the next line begins. A next below zero means
// that more must be read, and end where to look then.
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
		return end, -1 // a \n may follow
	}
	if r.newline < r.end {
		return r.newline, r.newline + 1
	}
	return r.end, -1
}

// fill reads more, once.
func (r *lineReader) fill() error {
	if len(r.buf)-r.end < smallRead {
		r.tidy()
	}
	if r.end-r.start > r.limit {
		return failure.New(failure.RecordTooLarge, "read", fmt.Sprintf("the command's output at byte %d", r.delivered), fmt.Errorf("line of more than %d bytes", r.limit)).
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

// tidy moves what is left to the front, and makes the buffer larger if that does not suffice.
func (r *lineReader) tidy() {
	to := r.buf
	if r.end-r.start > len(r.buf)/2 {
		to = make([]byte, 2*len(r.buf))
	}
	copy(to[room:], r.buf[r.start:r.end])
	r.newline = max(r.newline-r.start, 0) + room
	r.end += room - r.start
	r.start, r.buf = room, to
}
