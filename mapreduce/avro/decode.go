package avro

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/howdah/howdah/internal/javatext"
)

// Limits that protect against damaged files.
const (
	maxBytes = 1 << 30 // maximum size of a fixed value, in bytes
	maxDepth = 10_000  // maximum depth of nested values
	maxEmpty = 1 << 20 // maximum number of zero-size items in a datum, and of zero-size values in a block
)

// decoder decodes the values of a block and appends their text.
type decoder struct {
	b     []byte
	out   []byte
	style Style
	depth int
	empty int
}

var errItems = errors.New("an array or map has more items than bytes")

func (d *decoder) long() (int64, error) {
	u, n := binary.Uvarint(d.b)
	if n == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	if n < 0 {
		return 0, errors.New("a number has more than 64 bits")
	}
	d.b = d.b[n:]
	return int64(u>>1) ^ -int64(u&1), nil
}

func (d *decoder) take(n int64) ([]byte, error) {
	if n < 0 || n > int64(len(d.b)) {
		return nil, io.ErrUnexpectedEOF
	}
	b := d.b[:n]
	d.b = d.b[n:]
	return b, nil
}

// counted reads a length and then that number of bytes.
func (d *decoder) counted() ([]byte, error) {
	n, err := d.long()
	if err != nil {
		return nil, err
	}
	return d.take(n)
}

// value decodes a value and appends its text.
func (d *decoder) value(s *schema) error {
	if d.depth++; d.depth > maxDepth {
		return fmt.Errorf("values are nested more than %d levels deep", maxDepth)
	}
	defer func() { d.depth-- }()
	switch s.kind {
	case kNull:
		d.out = append(d.out, "null"...)
	case kBoolean:
		b, err := d.take(1)
		if err != nil {
			return err
		}
		d.out = strconv.AppendBool(d.out, b[0] != 0)
	case kInt, kLong:
		v, err := d.long()
		d.out = strconv.AppendInt(d.out, v, 10)
		return err
	case kFloat:
		b, err := d.take(4)
		if err != nil {
			return err
		}
		f := math.Float32frombits(binary.LittleEndian.Uint32(b))
		d.number(float64(f), func() { d.out = javatext.AppendFloat(d.out, f) })
	case kDouble:
		b, err := d.take(8)
		if err != nil {
			return err
		}
		f := math.Float64frombits(binary.LittleEndian.Uint64(b))
		d.number(f, func() { d.out = javatext.AppendDouble(d.out, f) })
	case kString:
		b, err := d.counted()
		d.quoted(b)
		return err
	case kBytes:
		b, err := d.counted()
		d.latin(b)
		return err
	case kFixed:
		b, err := d.take(int64(s.size))
		d.fixed(b)
		return err
	default:
		return d.compound(s)
	}
	return nil
}

func (d *decoder) compound(s *schema) error {
	switch s.kind {
	case kEnum:
		i, err := d.long()
		if err != nil || i < 0 || i >= int64(len(s.symbols)) {
			return errors.Join(err, fmt.Errorf("%d is not a symbol of %s", i, s.name))
		}
		d.quoted([]byte(s.symbols[i]))
	case kRecord:
		return d.record(s)
	case kArray:
		return d.array(s)
	case kMap:
		return d.entries(s)
	case kUnion:
		i, err := d.long()
		if err != nil || i < 0 || i >= int64(len(s.branches)) {
			return errors.Join(err, fmt.Errorf("%d is not a branch of a union of %d", i, len(s.branches)))
		}
		return d.branch(s.branches[i])
	}
	return nil
}

// branch decodes a value of a union and appends its text. In JSON, a value other than null includes
// its type.
func (d *decoder) branch(s *schema) error {
	if d.style != JSON || s.kind == kNull {
		return d.value(s)
	}
	d.out = append(d.out, '{')
	d.quoted([]byte(s.label()))
	d.out = append(d.out, ':')
	err := d.value(s)
	d.out = append(d.out, '}')
	return err
}

func (d *decoder) record(s *schema) error {
	d.out = append(d.out, '{')
	for i, f := range s.fields {
		if i > 0 {
			d.separate()
		}
		d.quoted([]byte(f.name))
		d.colon()
		if err := d.value(f.of); err != nil {
			return err
		}
	}
	d.out = append(d.out, '}')
	return nil
}

// items calls each for every item of an array or map. Items are stored in blocks, each preceded by
// its item count. A negative count is followed by the size of the block in bytes. first is the
// number of items in the first block.
func (d *decoder) items(each func(first int) error) error {
	for first := 0; ; {
		n, err := d.long()
		if err == nil && n < 0 {
			n = -n
			_, err = d.long()
		}
		if err != nil {
			return err
		}
		if n == 0 {
			return nil
		}
		if n < 0 || n > maxEmpty+int64(len(d.b)) {
			return errItems
		}
		if first == 0 {
			first = int(n)
		}
		for ; n > 0; n-- {
			before := len(d.b)
			if err := each(first); err != nil {
				return err
			}
			if len(d.b) == before {
				if d.empty++; d.empty > maxEmpty {
					return errItems
				}
			}
		}
	}
}

func (d *decoder) array(s *schema) error {
	d.out = append(d.out, '[')
	i := 0
	err := d.items(func(int) error {
		if i++; i > 1 {
			d.separate()
		}
		return d.value(s.items)
	})
	d.out = append(d.out, ']')
	return err
}

// entries decodes a map and appends its entries in the order of a Java HashMap.
func (d *decoder) entries(s *schema) error {
	at := len(d.out)
	var keys []string
	var hashes []int32
	var texts []string
	index := map[string]int{}
	capacity := 0
	err := d.items(func(first int) error {
		capacity = first
		key, err := d.counted()
		if err != nil {
			return err
		}
		err = d.value(s.items)
		text := string(d.out[at:])
		d.out = d.out[:at]
		if i, twice := index[string(key)]; twice {
			texts[i] = text
			return err
		}
		index[string(key)] = len(keys)
		keys, texts, hashes = append(keys, string(key)), append(texts, text), append(hashes, keyHash(key, s.utf16))
		return err
	})
	if err != nil {
		return err
	}
	d.out = append(d.out, '{')
	for n, i := range javatext.HashOrder(hashes, capacity) {
		if n > 0 {
			d.separate()
		}
		d.quoted([]byte(keys[i]))
		d.colon()
		d.out = append(d.out, texts[i]...)
	}
	d.out = append(d.out, '}')
	return nil
}

// keyHash returns the hash code that a map key has in Java. This is String.hashCode if utf16 is
// set, otherwise Utf8.hashCode.
func keyHash(key []byte, utf16 bool) int32 {
	if utf16 {
		return javatext.StringHash(string(key))
	}
	h := int32(0)
	for _, b := range key {
		h = 31*h + int32(int8(b))
	}
	return h
}
