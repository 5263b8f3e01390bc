package sequencefile

import (
	"errors"
	"fmt"
	"io"
)

// readHeader reads a file's header from w.
func readHeader(w *window) (*Header, error) {
	b, err := w.take(len(magic) + 1)
	if err != nil || !Is(b) {
		return nil, errors.New("the file does not start like a SequenceFile")
	}
	h := &Header{Version: b[len(magic)]}
	if h.Version < oldest || h.Version > version {
		return nil, fmt.Errorf("unsupported format version %d: want %d to %d", h.Version, oldest, version)
	}
	p := headerParser{w: w}
	if h.Version == oldest {
		h.KeyClass, h.ValueClass = p.oldText(), p.oldText()
	} else {
		h.KeyClass, h.ValueClass = p.text(maxClass), p.text(maxClass)
	}
	compressed, block := p.bool(), p.bool()
	switch {
	case compressed && block:
		h.Compression = Block
	case compressed:
		h.Compression = Record
	case block:
		return nil, errors.New("blocks without compression")
	}
	if compressed {
		h.Codec = DefaultCodec
		if h.Version >= vCodec {
			h.Codec = p.text(maxClass)
		}
	}
	if h.Version >= vMetadata {
		h.Metadata = p.metadata()
	}
	copy(h.Sync[:], p.take(SyncSize))
	return h, p.err
}

// headerParser parses a header item by item and keeps the first error.
type headerParser struct {
	w   *window
	err error
}

func (p *headerParser) take(n int) []byte {
	if p.err != nil {
		return nil
	}
	b, err := p.w.take(n)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	p.err = err
	return b
}

func (p *headerParser) bool() bool {
	b := p.take(1)
	return len(b) == 1 && b[0] != 0
}

// text parses a string written by Text.writeString.
func (p *headerParser) text(limit int) string {
	if p.err != nil {
		return ""
	}
	n, err := p.w.vint()
	if err == nil && n > limit {
		err = fmt.Errorf("a name has %d bytes", n)
	}
	if p.err = err; err != nil {
		return ""
	}
	return string(p.take(n))
}

// oldText parses a string written by UTF8, the predecessor of Text. Its length field is two bytes
// long.
func (p *headerParser) oldText() string {
	b := p.take(2)
	if len(b) < 2 {
		return ""
	}
	return string(p.take(int(b[0])<<8 | int(b[1])))
}

func (p *headerParser) metadata() []Pair {
	if p.err != nil {
		return nil
	}
	n, err := p.w.int()
	if err == nil && n < 0 {
		err = errNegative
	}
	p.err = err
	var all []Pair
	for size := 0; len(all) < n && p.err == nil; {
		pair := Pair{p.text(maxMeta), p.text(maxMeta)}
		if size += len(pair.Key) + len(pair.Value) + 2; size > maxMeta {
			p.err = fmt.Errorf("more than %d bytes of metadata", maxMeta)
		}
		all = append(all, pair)
	}
	return all
}
