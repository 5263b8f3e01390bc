// Package record writes and reads the project's own records: flat sequences of protocol-buffer fields. A field that is zero is
// left out, an unknown one is skipped, and a number is never given to something else. Signed numbers are zigzag varints.
package record

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/howdah/howdah/job/failure"
)

// Writer appends fields to B.
type Writer struct{ B []byte }

// Number appends a number.
func (w *Writer) Number(num protowire.Number, v int64) {
	if v != 0 {
		w.B = protowire.AppendTag(w.B, num, protowire.VarintType)
		w.B = protowire.AppendVarint(w.B, protowire.EncodeZigZag(v))
	}
}

// Text appends a text.
func (w *Writer) Text(num protowire.Number, s string) {
	if s != "" {
		w.B = protowire.AppendTag(w.B, num, protowire.BytesType)
		w.B = protowire.AppendString(w.B, s)
	}
}

// Message appends a message, also an empty one. Its length is known only afterwards, so it is built at the end and moved.
func (w *Writer) Message(num protowire.Number, body func(*Writer)) {
	w.B = protowire.AppendTag(w.B, num, protowire.BytesType)
	at := len(w.B)
	body(w)
	n := len(w.B) - at
	size := protowire.SizeVarint(uint64(n))
	w.B = append(w.B, make([]byte, size)...)
	copy(w.B[at+size:], w.B[at:at+n])
	protowire.AppendVarint(w.B[:at], uint64(n))
}

// Field is one decoded field: a number or bytes.
type Field struct {
	Num   protowire.Number
	typ   protowire.Type
	value uint64
	bytes []byte
}

// Fields walks a payload. An error of each ends the walk.
func Fields(b []byte, each func(Field) error) error {
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return Corrupt("field tag", protowire.ParseError(n))
		}
		b = b[n:]
		f := Field{Num: num, typ: typ}
		switch typ {
		case protowire.VarintType:
			f.value, n = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(b)
		default:
			n = protowire.ConsumeFieldValue(num, typ, b)
		}
		if n < 0 {
			return Corrupt("field", protowire.ParseError(n))
		}
		b = b[n:]
		if err := each(f); err != nil {
			return err
		}
	}
	return nil
}

// Number reads a number.
func (f Field) Number(to *int64) error {
	if f.typ != protowire.VarintType {
		return Corrupt("number", fmt.Errorf("field %d has wire type %d", f.Num, f.typ))
	}
	*to = protowire.DecodeZigZag(f.value)
	return nil
}

// Text reads a text.
func (f Field) Text(to *string) error {
	if f.typ != protowire.BytesType {
		return Corrupt("text", fmt.Errorf("field %d has wire type %d", f.Num, f.typ))
	}
	*to = string(f.bytes)
	return nil
}

// Message walks the fields of a message.
func (f Field) Message(each func(Field) error) error {
	if f.typ != protowire.BytesType {
		return Corrupt("message", fmt.Errorf("field %d has wire type %d", f.Num, f.typ))
	}
	return Fields(f.bytes, each)
}

// Small reads a number into a type that is narrower than 64 bits; what does not fit is damage.
func Small[T ~int8 | ~int16 | ~int32 | ~uint8 | ~uint16 | ~uint32](f Field, to *T) error {
	var v int64
	if err := f.Number(&v); err != nil {
		return err
	}
	*to = T(v)
	if int64(*to) != v || v > math.MaxUint32 {
		return Corrupt("number", fmt.Errorf("field %d: %d does not fit", f.Num, v))
	}
	return nil
}

// Corrupt is the error for bytes that are no record.
func Corrupt(what string, err error) error {
	return failure.New(failure.Corrupt, "decode", what, err)
}
