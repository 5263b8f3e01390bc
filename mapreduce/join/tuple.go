package join

import (
	"bytes"
	"encoding/binary"

	"github.com/howdah/howdah/mapreduce"
)

// Tuple is the type of joined values, Hadoop's TupleWritable. A tuple contains the number of
// inputs, a bit set that indicates which inputs have the key, the class name of each input's
// values, and the values. The text form is [VALUE,VALUE], with an empty string for an absent value.
var Tuple mapreduce.Type = tupleType{}

type tupleType struct{}

func (tupleType) Class() string           { return "org.apache.hadoop.mapreduce.lib.join.TupleWritable" }
func (tupleType) Compare(a, b []byte) int { return bytes.Compare(a, b) }

func (tupleType) Prefix(b []byte) uint64 {
	var first [8]byte
	copy(first[:], b)
	return binary.BigEndian.Uint64(first[:])
}

// Hash returns the hash of the bit set that indicates which values are present. It does not depend
// on the values themselves.
func (tupleType) Hash(b []byte) int32 {
	d := decoder{b: b}
	d.number()
	h := 1234 ^ d.number()
	return int32(h>>32) ^ int32(h)
}

func (tupleType) AppendText(dst, b []byte) []byte {
	vals, err := Values(b)
	if err != nil {
		return append(dst, "[]"...)
	}
	dst = append(dst, '[')
	for i, v := range vals {
		if i > 0 {
			dst = append(dst, ',')
		}
		if v.Bytes != nil {
			dst = v.Type.AppendText(dst, v.Bytes)
		}
	}
	return append(dst, ']')
}

// textOf serializes a name as Text.
func textOf(s string) []byte { return append(mapreduce.AppendVLong(nil, int64(len(s))), s...) }

func appendTupleHead(dst []byte, pick []int, names []byte) []byte {
	bits := int64(0)
	for i, n := range pick {
		if n >= 0 {
			bits |= 1 << i
		}
	}
	dst = mapreduce.AppendVLong(dst, int64(len(pick)))
	return append(mapreduce.AppendVLong(dst, bits), names...)
}

// Value is a value in a Tuple.
type Value struct {
	Type  mapreduce.Type
	Bytes []byte // serialized value; nil = the input does not have the key
}

// Values decodes a Tuple. The values share memory with b. Values returns an error of kind Corrupt
// if b is not a Tuple or contains values of unknown classes.
func Values(b []byte) ([]Value, error) {
	d := decoder{b: b}
	n := d.number()
	bits := d.number()
	if n < 0 || n > maxInputs || bits < 0 || bits>>n != 0 {
		return nil, d.fail()
	}
	out := make([]Value, n)
	for i := range out {
		out[i].Type = typeOf(string(d.bytes(d.number())))
	}
	for i := range out {
		if bits>>i&1 != 0 {
			out[i].Bytes = d.bytes(sizeOf(out[i].Type, d.b))
		}
	}
	if d.bad || len(d.b) > 0 {
		return nil, d.fail()
	}
	return out, nil
}
