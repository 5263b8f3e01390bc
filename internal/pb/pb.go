// Package pb encodes and decodes protocol-buffer messages field by field. It is for small, stable
// messages, such as those of Hadoop's protocols and the project's own records. For these, generated
// types would need more code and more time at startup. Decoding does not allocate, except for
// strings. Message appends fields, and Reader iterates over them.
package pb

import (
	"google.golang.org/protobuf/encoding/protowire"
)

// Message is an encoded message. The zero value is empty. Each method appends one field and returns
// the extended message.
type Message []byte

// Uint appends a field of type uint32, uint64, int32, int64, bool, or enum.
func (m Message) Uint(num int, v uint64) Message {
	return protowire.AppendVarint(protowire.AppendTag(m, protowire.Number(num), protowire.VarintType), v)
}

// Int appends a field of type int32 or int64.
func (m Message) Int(num int, v int64) Message { return m.Uint(num, uint64(v)) }

// Sint appends a field of type sint32 or sint64.
func (m Message) Sint(num int, v int64) Message { return m.Uint(num, protowire.EncodeZigZag(v)) }

// Bool appends a field of type bool.
func (m Message) Bool(num int, v bool) Message { return m.Uint(num, protowire.EncodeBool(v)) }

// Fixed32 appends a field of type fixed32 or sfixed32.
func (m Message) Fixed32(num int, v uint32) Message {
	return protowire.AppendFixed32(protowire.AppendTag(m, protowire.Number(num), protowire.Fixed32Type), v)
}

// Fixed64 appends a field of type fixed64 or sfixed64.
func (m Message) Fixed64(num int, v uint64) Message {
	return protowire.AppendFixed64(protowire.AppendTag(m, protowire.Number(num), protowire.Fixed64Type), v)
}

// Bytes appends a field of type bytes, or an embedded message.
func (m Message) Bytes(num int, v []byte) Message {
	return protowire.AppendBytes(protowire.AppendTag(m, protowire.Number(num), protowire.BytesType), v)
}

// String appends a field of type string.
func (m Message) String(num int, v string) Message {
	return protowire.AppendString(protowire.AppendTag(m, protowire.Number(num), protowire.BytesType), v)
}

// Delimited appends the length of v, and then v itself, to b. Messages in streams have this form.
func Delimited(b []byte, v Message) []byte { return protowire.AppendBytes(b, v) }

// CutDelimited splits b into its first length-delimited message and the rest. ok is false if b does
// not begin with a complete message.
func CutDelimited(b []byte) (v, rest []byte, ok bool) {
	v, n := protowire.ConsumeBytes(b)
	if n < 0 {
		return nil, nil, false
	}
	return v, b[n:], true
}

// Reader iterates over the fields of a message:
//
//	r := pb.Read(b)
//	for r.Next() {
//		switch r.Num {
//		case 1:
//			name = r.String()
//		}
//	}
//	return r.Err
//
// The caller skips a field by not reading it. A bytes field reads as the number zero, and a numeric
// field reads as no bytes.
type Reader struct {
	Num  int            // number of the current field
	Type protowire.Type // wire type of the current field
	Err  error          // set when Next returns false because the message is damaged

	rest []byte
	num  uint64 // value of a numeric field
	data []byte // value of a bytes field; aliases the message
}

// Read returns a Reader for the message b. The results of Bytes alias b.
func Read(b []byte) Reader { return Reader{rest: b} }

// Next moves to the next field. It returns false at the end, or if the message is damaged.
func (r *Reader) Next() bool {
	if r.Err != nil || len(r.rest) == 0 {
		return false
	}
	num, typ, n := protowire.Number(r.rest[0]>>3), protowire.Type(r.rest[0]&7), 1
	if num == 0 || r.rest[0] >= 0x80 { // most tags are one byte long
		if num, typ, n = protowire.ConsumeTag(r.rest); n < 0 {
			return r.fail(n)
		}
	}
	b := r.rest[n:]
	var v uint64
	var data []byte
	switch typ {
	case protowire.VarintType:
		v, n = protowire.ConsumeVarint(b)
	case protowire.Fixed32Type:
		var v32 uint32
		v32, n = protowire.ConsumeFixed32(b)
		v = uint64(v32)
	case protowire.Fixed64Type:
		v, n = protowire.ConsumeFixed64(b)
	case protowire.BytesType:
		data, n = protowire.ConsumeBytes(b)
	default:
		n = protowire.ConsumeFieldValue(num, typ, b)
	}
	if n < 0 {
		return r.fail(n)
	}
	r.Num, r.Type, r.num, r.data, r.rest = int(num), typ, v, data, b[n:]
	return true
}

func (r *Reader) fail(n int) bool {
	r.Err = protowire.ParseError(n)
	return false
}

// Uint returns the field as an unsigned number.
func (r *Reader) Uint() uint64 { return r.num }

// Int returns the field as a number of type int32, int64, sfixed64, or enum.
func (r *Reader) Int() int64 { return int64(r.num) }

// Int32 returns the field as a number of type int32 or sfixed32. It discards the upper bits of a
// larger number.
func (r *Reader) Int32() int32 { return int32(uint32(r.num)) }

// Sint returns the field as a number of type sint32 or sint64.
func (r *Reader) Sint() int64 { return protowire.DecodeZigZag(r.num) }

// Bool returns the field as a bool.
func (r *Reader) Bool() bool { return r.num != 0 }

// Bytes returns the field as bytes or as an embedded message. The result aliases the message.
func (r *Reader) Bytes() []byte { return r.data }

// String returns the field as text.
func (r *Reader) String() string { return string(r.data) }
