package typedbytes

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Pair is an entry of a map. Decode preserves the order of entries.
type Pair struct{ Key, Value any }

// Decode decodes the value at the start of b. n is the length of its encoding in bytes. The Go types
// are []byte for Bytes and for application codes, int8, bool, int32, int64, float32, float64,
// string, []any for vectors and lists, and []Pair for maps. A []byte shares memory with b. If the
// bytes are invalid, Decode returns an error of kind Corrupt.
func Decode(b []byte) (v any, n int, err error) {
	d := decoder{b: b}
	if v, err = d.any(0); err != nil {
		return nil, 0, corrupt(fmt.Errorf("at byte %d: %w", len(b)-len(d.b), err))
	}
	return v, len(b) - len(d.b), nil
}

type decoder struct{ b []byte }

var errShort = errors.New("the bytes end inside a value")

func (d *decoder) take(n int) ([]byte, error) {
	if n < 0 || n > len(d.b) {
		return nil, errShort
	}
	out := d.b[:n:n]
	d.b = d.b[n:]
	return out, nil
}

// count reads a length. It returns an error unless that many items, each at least size bytes long,
// can follow.
func (d *decoder) count(size int) (int, error) {
	b, err := d.take(4)
	if err != nil {
		return 0, err
	}
	n := binary.BigEndian.Uint32(b)
	if uint64(n) > uint64(len(d.b)/size) {
		return 0, errShort
	}
	return int(n), nil
}

func (d *decoder) any(depth int) (any, error) {
	code, err := d.take(1)
	if err != nil {
		return nil, err
	}
	return d.after(code[0], depth)
}

func (d *decoder) after(code byte, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("values are nested more than %d levels deep", maxDepth)
	}
	switch {
	case fixedSize(code) >= 0:
		b, err := d.take(fixedSize(code))
		if err != nil {
			return nil, err
		}
		return number(code, b), nil
	case counted(code):
		n, err := d.count(1)
		if err != nil {
			return nil, err
		}
		b, err := d.take(n)
		if code == String {
			return string(b), err
		}
		return b, err
	case code == Vector:
		return d.vector(depth)
	case code == List:
		return d.list(depth)
	case code == Map:
		return d.pairs(depth)
	}
	return nil, fmt.Errorf("unknown code %d", code)
}

func number(code byte, b []byte) any {
	switch code {
	case Byte:
		return int8(b[0])
	case Bool:
		return b[0] != 0
	case Int:
		return int32(binary.BigEndian.Uint32(b))
	case Long:
		return int64(binary.BigEndian.Uint64(b))
	case Float:
		return math.Float32frombits(binary.BigEndian.Uint32(b))
	default:
		return math.Float64frombits(binary.BigEndian.Uint64(b))
	}
}

func (d *decoder) vector(depth int) (any, error) {
	n, err := d.count(2)
	if err != nil {
		return nil, err
	}
	out := make([]any, n)
	for i := range out {
		if out[i], err = d.any(depth + 1); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (d *decoder) list(depth int) (any, error) {
	out := []any{}
	for {
		code, err := d.take(1)
		if err != nil {
			return nil, err
		}
		if code[0] == Marker {
			return out, nil
		}
		v, err := d.after(code[0], depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
}

func (d *decoder) pairs(depth int) (any, error) {
	n, err := d.count(4)
	if err != nil {
		return nil, err
	}
	out := make([]Pair, n)
	for i := range out {
		if out[i].Key, err = d.any(depth + 1); err != nil {
			return nil, err
		}
		if out[i].Value, err = d.any(depth + 1); err != nil {
			return nil, err
		}
	}
	return out, nil
}
