// Package pb writes and reads protocol-buffer messages field by field. Hadoop's protocols are small and frozen: a few lines for
// each message cost less, to read and at start-up, than generated types, and decoding allocates nothing.
package pb

import (
	"google.golang.org/protobuf/encoding/protowire"
)

// Message is an encoded message. The zero value is empty; each method appends one field and returns the longer message.
type Message []byte

// Uint appends a field of type uint32, uint64, int32, int64, bool or enum.
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

// Delimited appends v to b with its length in front, as messages lie in streams.
func Delimited(b []byte, v Message) []byte { return protowire.AppendBytes(b, v) }

// CutDelimited takes a message with its length in front off b. ok is false if b does not begin with a whole one.
func CutDelimited(b []byte) (v, rest []byte, ok bool) {
	v, n := protowire.ConsumeBytes(b)
	if n < 0 {
		return nil, nil, false
	}
	return v, b[n:], true
}

// Reader goes through the fields of a message:
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
// Unknown fields are passed over. A field of another wire type than the method asks for reads as zero.
type Reader struct {
	Num int   // number of the current field
	Err error // set when Next gave false because the message is damaged

	rest []byte
	num  uint64 // value of a number
	data []byte // value of bytes; lies in the message
}

// Read begins to read a message. What Bytes gives later lies in b.
func Read(b []byte) Reader { return Reader{rest: b} }

// Next goes to the next field; false at the end.
func (r *Reader) Next() bool {
	if r.Err != nil || len(r.rest) == 0 {
		return false
	}
	num, typ, n := protowire.ConsumeTag(r.rest)
	if n < 0 {
		return r.fail(n)
	}
	r.rest = r.rest[n:]
	r.Num, r.num, r.data = int(num), 0, nil
	switch typ {
	case protowire.VarintType:
		r.num, n = protowire.ConsumeVarint(r.rest)
	case protowire.Fixed32Type:
		var v uint32
		v, n = protowire.ConsumeFixed32(r.rest)
		r.num = uint64(v)
	case protowire.Fixed64Type:
		r.num, n = protowire.ConsumeFixed64(r.rest)
	case protowire.BytesType:
		r.data, n = protowire.ConsumeBytes(r.rest)
	default:
		n = protowire.ConsumeFieldValue(num, typ, r.rest)
	}
	if n < 0 {
		return r.fail(n)
	}
	r.rest = r.rest[n:]
	return true
}

func (r *Reader) fail(n int) bool {
	r.Err = protowire.ParseError(n)
	return false
}

// Uint gives the field as an unsigned number.
func (r *Reader) Uint() uint64 { return r.num }

// Int gives the field as a number of type int32, int64, sfixed64 or an enum.
func (r *Reader) Int() int64 { return int64(r.num) }

// Int32 gives the field as a number of type int32 or sfixed32; what does not fit loses its upper bits.
func (r *Reader) Int32() int32 { return int32(uint32(r.num)) }

// Sint gives the field as a number of type sint32 or sint64.
func (r *Reader) Sint() int64 { return protowire.DecodeZigZag(r.num) }

// Bool gives the field as a truth value.
func (r *Reader) Bool() bool { return r.num != 0 }

// Bytes gives the field as bytes or as an embedded message; it lies in the message that is read.
func (r *Reader) Bytes() []byte { return r.data }

// String gives the field as text.
func (r *Reader) String() string { return string(r.data) }
