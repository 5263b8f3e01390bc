// Package record encodes and decodes the project's own records, which are sequences of
// protocol-buffer fields. A Writer omits numbers that are 0 and, except in lists, empty strings.
// Fields iterates over a record, and its callers skip unknown fields. Field numbers are never
// reused. Numbers are zigzag varints.
package record

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/howdah/howdah/internal/pb"
	"github.com/howdah/howdah/job/failure"
)

// Writer appends fields to B.
type Writer struct {
	B []byte

	measures bool // the writer only counts the bytes that it would append
	size     int
}

// Size returns the number of bytes that write appends.
func Size(write func(*Writer)) int {
	w := Writer{measures: true}
	write(&w)
	return w.size
}

// Number appends a number unless it is 0.
func (w *Writer) Number(num protowire.Number, v int64) {
	if v == 0 {
		return
	}
	n := protowire.EncodeZigZag(v)
	if w.measures {
		w.size += protowire.SizeTag(num) + protowire.SizeVarint(n)
		return
	}
	w.B = protowire.AppendTag(w.B, num, protowire.VarintType)
	w.B = protowire.AppendVarint(w.B, n)
}

// Text appends a string unless it is empty.
func (w *Writer) Text(num protowire.Number, s string) {
	if s != "" {
		w.element(num, s)
	}
}

// element appends an element of a list of strings, even an empty one.
func (w *Writer) element(num protowire.Number, s string) {
	if w.measures {
		w.size += protowire.SizeTag(num) + protowire.SizeBytes(len(s))
		return
	}
	w.B = protowire.AppendTag(w.B, num, protowire.BytesType)
	w.B = protowire.AppendString(w.B, s)
}

// Message appends a message, even an empty one. It first builds the message at the end of B and
// then inserts the length before it.
func (w *Writer) Message(num protowire.Number, body func(*Writer)) {
	if w.measures {
		before := w.size
		body(w)
		w.size += protowire.SizeTag(num) + protowire.SizeVarint(uint64(w.size-before))
		return
	}
	w.B = protowire.AppendTag(w.B, num, protowire.BytesType)
	at := len(w.B)
	body(w)
	n := len(w.B) - at
	size := protowire.SizeVarint(uint64(n))
	w.B = append(w.B, make([]byte, size)...)
	copy(w.B[at+size:], w.B[at:at+n])
	protowire.AppendVarint(w.B[:at], uint64(n))
}

// Field is a decoded field, which contains a number or bytes.
type Field struct {
	Num   protowire.Number
	typ   protowire.Type
	value uint64
	bytes []byte
}

// Fields calls the function each with every field of b, in order. It stops at the first error and
// returns it.
func Fields(b []byte, each func(Field) error) error {
	r := pb.Read(b)
	for r.Next() {
		if err := each(Field{protowire.Number(r.Num), r.Type, r.Uint(), r.Bytes()}); err != nil {
			return err
		}
	}
	if r.Err != nil {
		return Corrupt("field", r.Err)
	}
	return nil
}

// Number stores the field in *to. If the field is not a number, the error is of kind Corrupt.
func (f Field) Number(to *int64) error {
	if f.typ != protowire.VarintType {
		return Corrupt("number", fmt.Errorf("field %d has wire type %d", f.Num, f.typ))
	}
	*to = protowire.DecodeZigZag(f.value)
	return nil
}

// Text stores the field in *to. If the field is a number, the error is of kind Corrupt.
func (f Field) Text(to *string) error {
	if f.typ != protowire.BytesType {
		return Corrupt("text", fmt.Errorf("field %d has wire type %d", f.Num, f.typ))
	}
	*to = string(f.bytes)
	return nil
}

// Message calls the function each with every field of the embedded message, in order. It stops at
// the first error and returns it.
func (f Field) Message(each func(Field) error) error {
	if f.typ != protowire.BytesType {
		return Corrupt("message", fmt.Errorf("field %d has wire type %d", f.Num, f.typ))
	}
	return Fields(f.bytes, each)
}

// Small stores the field in *to, a number of fewer than 64 bits. If the field is not a number or
// does not fit, the error is of kind Corrupt.
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

// Corrupt returns the error for bytes that are not a valid record.
func Corrupt(what string, err error) error {
	return failure.New(failure.Corrupt, "decode", what, err)
}
