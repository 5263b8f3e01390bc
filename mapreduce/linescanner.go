package mapreduce

import (
	"bytes"
	"io"

	"github.com/howdah/howdah/internal/heap"
)

const (
	lineBufferSize = 128 << 10
	// headroom is the space before the first line of a buffer, for the length prefix that makes the
	// line a Text.
	headroom = 8
)

// lineScanner splits a stream into lines within a buffer, without copying them. A line is
// buf[start:end], which is valid until the next call. The caller may overwrite the MaxVIntLen bytes
// before the line.
type lineScanner struct {
	src   io.Reader
	buf   []byte
	r, w  int // unread: buf[r:w]
	cr    int // position of the next '\r', w if none precedes w; below r = unknown
	eof   bool
	limit int    // maximum length of a line, in bytes
	keep  int64  // next may skip lines of at least this number of bytes, not counting the delimiter
	delim []byte // line delimiter; nil = \n, \r\n or \r
	pos   int64  // position of buf[r] in the stream
}

func newLineScanner(src io.Reader, delim []byte, limit int, keep int64) *lineScanner {
	return &lineScanner{src: src, buf: make([]byte, headroom+min(lineBufferSize, max(limit, 2*len(delim)+2))), r: headroom,
		w: headroom, delim: delim, limit: limit, keep: keep}
}

// reset prepares the scanner for a new stream and reuses the buffer.
func (l *lineScanner) reset(src io.Reader) {
	l.src, l.r, l.w, l.cr, l.eof, l.pos = src, headroom, headroom, 0, false, 0
}

// errLineTooLong is the error for a line that exceeds the limit. The caller adds the position.
type errLineTooLong struct{ limit int }

func (errLineTooLong) Error() string { return "line too long" }

// next returns the position of the next line and the length of its delimiter. The length is 0 if
// the stream ends without a delimiter. At the end of the stream, next returns io.EOF. If next skips
// a line because of its length, it returns the length of the delimiter and errSkipped.
func (l *lineScanner) next() (start, end, delim int, err error) {
	skipped := false
	for off := 0; ; { // number of unread bytes known to contain no delimiter
		if end, delim = l.find(l.r + off); delim >= 0 {
			break
		}
		if off = end - l.r; skipped || int64(off) >= l.keep {
			l.advance(end)
			off, skipped = 0, true
		}
		if err := l.fill(); err != nil {
			return 0, 0, 0, err
		}
	}
	start = l.r
	l.advance(end + delim)
	switch {
	case skipped:
		return 0, 0, delim, errSkipped
	case end+delim == start:
		return 0, 0, 0, io.EOF
	}
	return start, end, delim, nil
}

// discard drops the unread bytes up to the end of the first delimiter and returns the delimiter's
// length, which is 0 at the end of the stream. If the buffer contains no delimiter, discard drops
// all bytes that cannot be part of one and returns -1.
func (l *lineScanner) discard() int {
	end, delim := l.find(l.r)
	l.advance(end + max(delim, 0))
	return delim
}

// sift drops lines before the first line that contains needed, and returns their number. It considers
// only lines that end within the next n bytes, and only bytes that are already in the buffer. needed
// contains neither \n nor \r, which end the lines.
func (l *lineScanner) sift(needed []byte, n int64) (lines int) {
	drop := l.buf[l.r : l.r+int(min(n, int64(l.w-l.r)))]
	if i := bytes.Index(drop, needed); i >= 0 {
		drop = drop[:i]
	} else {
		drop = bytes.TrimSuffix(drop, []byte{'\r'}) // the delimiter may include the next byte
	}
	if drop = drop[:1+bytes.LastIndexAny(drop, "\r\n")]; len(drop) == 0 {
		return 0
	}
	l.advance(l.r + len(drop))
	lines = bytes.Count(drop, []byte{'\n'})
	if cr := bytes.Count(drop, []byte{'\r'}); cr > 0 {
		lines += cr - bytes.Count(drop, []byte("\r\n"))
	}
	return lines
}

// advance marks buffered bytes as read, up to but not including the index to.
func (l *lineScanner) advance(to int) {
	l.pos += int64(to - l.r)
	l.r = to
}

// find returns the position and the length of the first delimiter that starts at or after from. The
// length is 0 if the stream ends without a delimiter. It is -1 if the caller must read more bytes
// and continue the search at end.
func (l *lineScanner) find(from int) (end, delim int) {
	if l.delim != nil {
		return l.findDelimiter(from)
	}
	end = l.w
	if nl := bytes.IndexByte(l.buf[from:l.w], '\n'); nl >= 0 {
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
			return l.cr, 2
		}
		return l.cr, 1
	case l.cr < end && l.eof:
		return l.cr, 1
	case l.cr < end: // the delimiter may include the next byte
		return l.cr, -1
	case end < l.w:
		return end, 1
	case l.eof:
		return end, 0
	}
	return end, -1
}

func (l *lineScanner) findDelimiter(from int) (end, delim int) {
	if i := bytes.Index(l.buf[from:l.w], l.delim); i >= 0 {
		return from + i, len(l.delim)
	}
	if l.eof {
		return l.w, 0
	}
	return max(l.w-len(l.delim)+1, from), -1
}

// fill reads more bytes. It may move the unread bytes to the start of the buffer or to a larger
// buffer. It returns errLineTooLong if a line would need a buffer larger than the limit.
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
	n, size := l.w-l.r, 0
	if n > len(l.buf)-headroom-len(l.buf)/4 {
		if n >= l.limit {
			return errLineTooLong{l.limit}
		}
		// The part of the new buffer that no line has reached yet uses no physical memory. Large steps
		// therefore keep a long line's cost close to its length.
		size = headroom + min(4*len(l.buf), l.limit)
	}
	heap.Shift(&l.buf, headroom, l.r, l.w, size)
	l.r, l.w = headroom, headroom+n
	return nil
}
