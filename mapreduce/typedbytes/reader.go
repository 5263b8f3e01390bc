package typedbytes

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/howdah/howdah/job/failure"
)

// Reader reads values from a stream. It makes small reads, so the stream should be a bufio.Reader.
// It is not safe for concurrent use.
type Reader struct {
	r     io.Reader
	limit int
	read  int64
}

// NewReader returns a Reader that reads from r. For a value of more than limit bytes, the Reader
// returns an error of kind RecordTooLarge.
func NewReader(r io.Reader, limit int) *Reader { return &Reader{r: r, limit: limit} }

// Append appends the bytes of the next value to dst, including the type code. At the end of the
// stream, it returns io.EOF. If the stream ends inside a value or contains invalid bytes, it
// returns an error of kind Corrupt with the position.
func (r *Reader) Append(dst []byte) ([]byte, error) {
	v := value{Reader: r, from: len(dst), b: dst}
	err := v.any(0)
	if err == io.EOF && len(v.b) > len(dst) {
		err = io.ErrUnexpectedEOF
	}
	if err == nil || err == io.EOF {
		return v.b, err
	}
	where := fmt.Sprintf("typed bytes at byte %d", r.read)
	kind := failure.Corrupt
	if !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, errForm) {
		if kind = failure.KindOf(err); kind == failure.Unknown {
			kind = failure.IO
		}
	}
	return dst, failure.New(kind, "read", where, err)
}

var errForm = errors.New("not typed bytes")

// value is the state of reading a value.
type value struct {
	*Reader
	from int
	b    []byte
}

// step is the maximum number of bytes to allocate before more data arrives, because a length can be
// wrong.
const step = 1 << 20

// take appends the next n bytes of the stream to v.b and returns them.
func (v *value) take(n int) ([]byte, error) {
	if n > v.limit-(len(v.b)-v.from) {
		return nil, failure.New(failure.RecordTooLarge, "", "", fmt.Errorf("a value has more than %d bytes", v.limit))
	}
	start := len(v.b)
	for n > 0 {
		k := min(n, step)
		at := len(v.b)
		v.b = extend(v.b, k)
		m, err := io.ReadFull(v.r, v.b[at:])
		v.read += int64(m)
		if err != nil {
			v.b = v.b[:at+m]
			return nil, err
		}
		n -= k
	}
	return v.b[start:], nil
}

func extend(b []byte, n int) []byte {
	if cap(b)-len(b) >= n {
		return b[:len(b)+n]
	}
	return append(b, make([]byte, n)...)
}

func (v *value) length() (int, error) {
	b, err := v.take(4)
	if err != nil {
		return 0, err
	}
	n := int32(binary.BigEndian.Uint32(b))
	if n < 0 {
		return 0, fmt.Errorf("%w: length %d", errForm, n)
	}
	return int(n), nil
}

func (v *value) any(depth int) error {
	code, err := v.take(1)
	if err != nil {
		return err
	}
	return v.after(code[0], depth)
}

// after reads the rest of a value after its type code.
func (v *value) after(code byte, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("%w: values are nested more than %d levels deep", errForm, maxDepth)
	}
	switch n := fixedSize(code); {
	case n >= 0:
		_, err := v.take(n)
		return err
	case counted(code):
		n, err := v.length()
		if err == nil {
			_, err = v.take(n)
		}
		return err
	case code == Vector, code == Map:
		n, err := v.length()
		if code == Map {
			n *= 2
		}
		for ; n > 0 && err == nil; n-- {
			err = v.any(depth + 1)
		}
		return err
	case code == List:
		return v.list(depth)
	}
	return fmt.Errorf("%w: code %d", errForm, code)
}

func (v *value) list(depth int) error {
	for {
		code, err := v.take(1)
		if err != nil || code[0] == Marker {
			return err
		}
		if err := v.after(code[0], depth+1); err != nil {
			return err
		}
	}
}
