package mapreduce

import (
	"bytes"
	"io"
)

const (
	lineBufferSize = 128 << 10
	// headroom is kept before the first line of a buffer, for the length that makes a Text of it.
	headroom = 8
)

// lineScanner cuts a stream into lines inside one buffer. Lines are not copied: a line is buf[start:end], valid until the
// next call, and the MaxVIntLen bytes before it may be overwritten.
type lineScanner struct {
	src   io.Reader
	buf   []byte
	r, w  int // unread: buf[r:w]
	cr    int // where the next '\r' is, w if there is none up to w; anything below r: not known
	eof   bool
	limit int    // longest line, bytes
	delim []byte // end of line; nil = \n, \r\n or \r
	pos   int64  // of buf[r] in the stream
}

func newLineScanner(src io.Reader, delim []byte, limit int) *lineScanner {
	return &lineScanner{src: src, buf: make([]byte, headroom+min(lineBufferSize, max(limit, 2*len(delim)+2))), r: headroom, w: headroom, delim: delim, limit: limit}
}

// reset starts on another stream with the same buffer.
func (l *lineScanner) reset(src io.Reader) {
	l.src, l.r, l.w, l.cr, l.eof, l.pos = src, headroom, headroom, 0, false, 0
}

// errLineTooLong is the sign of a line above the limit; callers tell where.
type errLineTooLong struct{ limit int }

func (errLineTooLong) Error() string { return "line too long" }

// next finds the next line and how long its delimiter is: 0 at the end of a stream without one. io.EOF when no byte is left.
func (l *lineScanner) next() (start, end, delim int, err error) {
	if l.delim == nil {
		end, delim, err = l.findNewline()
	} else {
		end, delim, err = l.findDelimiter()
	}
	if err != nil {
		return 0, 0, 0, err
	}
	start = l.r
	l.pos += int64(end + delim - start)
	l.r = end + delim
	if end+delim == start {
		return 0, 0, 0, io.EOF
	}
	return start, end, delim, nil
}

func (l *lineScanner) findNewline() (end, delim int, err error) {
	off := 0 // unread bytes that hold no end of line
	for {
		from := l.r + off
		end := l.w
		nl := bytes.IndexByte(l.buf[from:l.w], '\n')
		if nl >= 0 {
			end = from + nl
		}
		if l.cr < from {
			if l.cr = bytes.IndexByte(l.buf[from:l.w], '\r'); l.cr < 0 {
				l.cr = l.w
			} else {
				l.cr += from
			}
		}
		switch {
		case l.cr < end && l.cr+1 < l.w:
			if l.buf[l.cr+1] == '\n' {
				return l.cr, 2, nil
			}
			return l.cr, 1, nil
		case l.cr < end && l.eof:
			return l.cr, 1, nil
		case l.cr < end: // the next byte decides whether it belongs to the delimiter
			off = l.cr - l.r
		case nl >= 0:
			return end, 1, nil
		case l.eof:
			return l.w, 0, nil
		default:
			off = l.w - l.r
		}
		if err := l.fill(); err != nil {
			return 0, 0, err
		}
	}
}

func (l *lineScanner) findDelimiter() (end, delim int, err error) {
	off := 0
	for {
		from := l.r + off
		if i := bytes.Index(l.buf[from:l.w], l.delim); i >= 0 {
			return from + i, len(l.delim), nil
		}
		if l.eof {
			return l.w, 0, nil
		}
		off = max(l.w-l.r-len(l.delim)+1, off)
		if err := l.fill(); err != nil {
			return 0, 0, err
		}
	}
}

// fill reads more; unread bytes may move to the start of a buffer, or to a larger one.
func (l *lineScanner) fill() error {
	if l.w == len(l.buf) || l.r == l.w {
		if err := l.makeRoom(); err != nil {
			return err
		}
	}
	for tries := 0; ; tries++ {
		n, err := l.src.Read(l.buf[l.w:])
		l.w, l.cr = l.w+n, 0
		switch {
		case err == io.EOF:
			l.eof = true
			return nil
		case err != nil:
			return err
		case n > 0:
			return nil
		case tries == 100:
			return io.ErrNoProgress
		}
	}
}

func (l *lineScanner) makeRoom() error {
	n := l.w - l.r
	to := l.buf
	if n > len(l.buf)-headroom-len(l.buf)/4 {
		if n >= l.limit {
			return errLineTooLong{l.limit}
		}
		to = make([]byte, headroom+min(2*len(l.buf), l.limit))
	}
	copy(to[headroom:], l.buf[l.r:l.w])
	l.buf, l.r, l.w = to, headroom, headroom+n
	return nil
}
