// Package record encodes and decodes the project's own records, which are sequences of
// protocol-buffer fields. A function that names each field once serves both directions:
//
//	func file(c *record.Codec, o *job.OutputFile) {
//		c.Text(1, &o.Name)
//		c.Number(2, &o.Length)
//	}
//
//	b = record.Append(b, func(c *record.Codec) { file(c, &o) })
//	err := record.Decode(b, func(c *record.Codec) { file(c, &o) })
//
// A record omits numbers that are 0 and, except in lists, empty strings. Numbers are zigzag
// varints. Field numbers are never reused.
package record

import (
	"fmt"
	"math"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/howdah/howdah/internal/pb"
	"github.com/howdah/howdah/job/failure"
)

// Codec appends or reads the fields of a record. Its methods, and the functions Small, Optional,
// and List, append a field or, if the field is the next one of the record, read it. They change a
// variable only in a codec that reads.
type Codec struct {
	mode mode
	b    []byte // the record, in mode appends
	size int    // number of bytes, in mode measures

	// The following fields are for mode reads. Decode calls its function until no field is left.
	// Usually, it calls the function once, because records contain their fields in the function's
	// order.
	in    pb.Reader
	num   protowire.Number // number of the current field; 0 means that no field is left
	taken bool             // the current call of the function has read a field
	err   error
}

type mode uint8

const (
	appends  mode = iota
	measures      // counts the bytes that mode appends would append
	reads
)

// codecs keeps the memory of codecs, because a journal decodes and encodes one fact after another.
var codecs = sync.Pool{New: func() any { return &Codec{} }}

// Append appends the fields to b.
func Append(b []byte, fields func(*Codec)) []byte {
	c := codecs.Get().(*Codec)
	*c = Codec{mode: appends, b: b}
	fields(c)
	b = c.b
	codecs.Put(c)
	return b
}

// Size returns the number of bytes that Append appends.
func Size(fields func(*Codec)) int {
	c := codecs.Get().(*Codec)
	*c = Codec{mode: measures}
	fields(c)
	size := c.size
	codecs.Put(c)
	return size
}

// Decode reads the fields of b and skips those that the function fields does not name. If b is
// damaged, the error is of kind Corrupt.
func Decode(b []byte, fields func(*Codec)) error {
	c := codecs.Get().(*Codec)
	*c = Codec{mode: reads}
	c.read(b, fields)
	err := c.err
	*c = Codec{} // drops b
	codecs.Put(c)
	return err
}

// Reads reports whether the codec reads fields.
func (c *Codec) Reads() bool { return c.mode == reads }

func (c *Codec) read(b []byte, fields func(*Codec)) {
	c.in = pb.Read(b)
	c.next()
	for c.num != 0 {
		c.taken = false
		fields(c)
		if !c.taken {
			c.next() // skips an unknown field
		}
	}
}

// next moves to the next field.
func (c *Codec) next() {
	c.num, c.taken = 0, true
	switch {
	case c.err != nil:
	case c.in.Next():
		c.num = protowire.Number(c.in.Num)
	case c.in.Err != nil:
		c.fail("field", c.in.Err)
	}
}

func (c *Codec) fail(what string, err error) {
	c.num, c.taken, c.err = 0, true, Corrupt(what, err)
}

// at reports whether the current field, which the codec reads, has a number. If the field's type
// is wrong, the record is damaged.
func (c *Codec) at(num protowire.Number, typ protowire.Type, what string) bool {
	return c.num == num && c.has(typ, what)
}

func (c *Codec) has(typ protowire.Type, what string) bool {
	if c.in.Type != typ {
		c.fail(what, fmt.Errorf("field %d has wire type %d", c.num, c.in.Type))
	}
	return c.in.Type == typ
}

// Number appends or reads a number.
func (c *Codec) Number(num protowire.Number, v *int64) {
	switch {
	case c.mode != reads:
		if *v != 0 {
			c.number(num, *v)
		}
	case c.at(num, protowire.VarintType, "number"):
		*v = protowire.DecodeZigZag(c.in.Uint())
		c.next()
	}
}

func (c *Codec) number(num protowire.Number, v int64) {
	n := protowire.EncodeZigZag(v)
	if c.mode == measures {
		c.size += protowire.SizeTag(num) + protowire.SizeVarint(n)
		return
	}
	c.b = protowire.AppendTag(c.b, num, protowire.VarintType)
	c.b = protowire.AppendVarint(c.b, n)
}

// Unsigned appends or reads an unsigned number.
func (c *Codec) Unsigned(num protowire.Number, v *uint64) {
	n := int64(*v)
	if c.Number(num, &n); c.mode == reads {
		*v = uint64(n)
	}
}

// Bool appends or reads a number that is 1 for true.
func (c *Codec) Bool(num protowire.Number, v *bool) {
	n := int64(0)
	if *v {
		n = 1
	}
	if c.Number(num, &n); c.mode == reads {
		*v = n != 0
	}
}

// Small appends or reads a number of fewer than 64 bits. If the number does not fit, the record is
// damaged.
func Small[T ~int8 | ~int16 | ~int32 | ~uint8 | ~uint16 | ~uint32](c *Codec, num protowire.Number, v *T) {
	switch {
	case c.mode != reads:
		if *v != 0 {
			c.number(num, int64(*v))
		}
	case c.at(num, protowire.VarintType, "number"):
		n := protowire.DecodeZigZag(c.in.Uint())
		*v = T(n)
		if int64(*v) != n || n > math.MaxUint32 {
			c.fail("number", fmt.Errorf("field %d: %d does not fit", num, n))
			return
		}
		c.next()
	}
}

// Text appends or reads a string.
func (c *Codec) Text(num protowire.Number, s *string) {
	switch {
	case c.mode != reads:
		if *s != "" {
			c.element(num, *s)
		}
	case c.at(num, protowire.BytesType, "text"):
		*s = string(c.in.Bytes())
		c.next()
	}
}

// element appends an element of a list of strings, even an empty one.
func (c *Codec) element(num protowire.Number, s string) {
	if c.mode == measures {
		c.size += protowire.SizeTag(num) + protowire.SizeBytes(len(s))
		return
	}
	c.b = protowire.AppendTag(c.b, num, protowire.BytesType)
	c.b = protowire.AppendString(c.b, s)
}

// Message appends or reads a message. It appends even an empty one. It first builds the message at
// the end of the record and then inserts the length before it.
func (c *Codec) Message(num protowire.Number, fields func(*Codec)) {
	switch c.mode {
	case reads:
		if c.at(num, protowire.BytesType, "message") {
			outer := c.in
			c.read(outer.Bytes(), fields)
			c.in = outer
			c.next()
		}
	case measures:
		before := c.size
		fields(c)
		c.size += protowire.SizeTag(num) + protowire.SizeVarint(uint64(c.size-before))
	case appends:
		c.b = protowire.AppendTag(c.b, num, protowire.BytesType)
		at := len(c.b)
		fields(c)
		n := len(c.b) - at
		size := protowire.SizeVarint(uint64(n))
		c.b = append(c.b, make([]byte, size)...)
		copy(c.b[at+size:], c.b[at:at+n])
		protowire.AppendVarint(c.b[:at], uint64(n))
	}
}

// Optional appends the message *p unless *p is nil, or reads a message into a new *p.
func Optional[T any](c *Codec, num protowire.Number, p **T, fields func(*Codec, *T)) {
	if c.at(num, protowire.BytesType, "message") {
		*p = new(T)
	}
	if *p != nil {
		c.Message(num, func(c *Codec) { fields(c, *p) })
	}
}

// List appends a message for each element of a list, or reads messages to the end of the list.
func List[T any](c *Codec, num protowire.Number, list *[]T, fields func(*Codec, *T)) {
	if c.mode != reads {
		for i := range *list {
			c.Message(num, func(c *Codec) { fields(c, &(*list)[i]) })
		}
		return
	}
	for c.at(num, protowire.BytesType, "message") {
		var zero T
		*list = append(*list, zero)
		c.Message(num, func(c *Codec) { fields(c, &(*list)[len(*list)-1]) })
	}
}

// Corrupt returns the error for bytes that are not a valid record.
func Corrupt(what string, err error) error {
	return failure.New(failure.Corrupt, "decode", what, err)
}
