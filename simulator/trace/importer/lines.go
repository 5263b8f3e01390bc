package importer

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// lines reads and counts lines. It skips lines longer than max bytes.
type lines struct {
	in    *bufio.Reader
	max   int
	n     int64 // number of the last line, from 1
	buf   []byte
	ended bool
}

var errLong = errors.New("the line is too long")

// next returns the next line without its newline. The line is valid until the next call. errLong
// means that next skipped the line.
func (l *lines) next() ([]byte, error) {
	if l.ended {
		return nil, io.EOF
	}
	l.n++
	l.buf = l.buf[:0]
	long := false
	for {
		piece, err := l.in.ReadSlice('\n')
		if len(l.buf)+len(piece) > l.max {
			long = true
			l.buf = l.buf[:0]
		}
		if !long {
			l.buf = append(l.buf, piece...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err != nil:
			l.ended = true
			if err != io.EOF {
				return nil, err
			}
			if len(l.buf) == 0 && !long {
				return nil, io.EOF
			}
		}
		if long {
			return nil, errLong
		}
		return bytes.TrimRight(l.buf, "\r\n"), nil
	}
}

// each calls f with every line and records damage. If the file is truncated, as an incomplete gzip
// file is, each stops there.
func (im *Import) each(path string, r *bufio.Reader, f func(n int64, line []byte)) {
	l := &lines{in: r, max: im.opt.MaxLine}
	for {
		line, err := l.next()
		switch {
		case err == io.EOF:
			return
		case errors.Is(err, errLong):
			im.damage(path, l.n, "the line is longer than %d bytes", im.opt.MaxLine)
		case err != nil:
			im.damage(path, l.n, "reading stopped: %v", err)
			return
		default:
			f(l.n, line)
		}
	}
}
