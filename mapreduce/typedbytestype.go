package mapreduce

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"

	"github.com/howdah/howdah/mapreduce/typedbytes"
)

// TypedBytesWritable is the type of Streaming's keys and values with -io typedbytes. It is a
// BytesWritable that contains a typed-bytes value. Its text is the text of that value.
var TypedBytesWritable Type = typedBytesType{}

type typedBytesType struct{ bytesType }

func (typedBytesType) Class() string { return typedbytes.Class }

// AppendText appends the text of the value. It formats invalid typed bytes as bytes.
func (t typedBytesType) AppendText(dst, b []byte) []byte {
	v, _, err := typedbytes.Decode(bytesBody(b))
	if err != nil {
		return t.bytesType.AppendText(dst, b)
	}
	return appendJava(dst, v)
}

// appendJava appends a typed-bytes value in the format of Java's toString.
func appendJava(dst []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		return append(dst, v...)
	case []byte:
		return hex.AppendEncode(dst, v)
	case bool:
		return strconv.AppendBool(dst, v)
	case float32:
		return AppendFloat(dst, v)
	case float64:
		return AppendDouble(dst, v)
	case []any:
		dst = append(dst, '[')
		for i, x := range v {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = appendJava(dst, x)
		}
		return append(dst, ']')
	case []typedbytes.Pair:
		return appendMap(dst, v)
	}
	return fmt.Append(dst, v) // integers
}

// appendMap appends a map in the format of Java's TreeMap, sorted by key.
func appendMap(dst []byte, pairs []typedbytes.Pair) []byte {
	type shown struct {
		rank       uint64
		key, value []byte
	}
	all := make([]shown, len(pairs))
	for i, p := range pairs {
		all[i] = shown{rank(p.Key), appendJava(nil, p.Key), appendJava(nil, p.Value)}
	}
	slices.SortStableFunc(all, func(a, b shown) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), bytes.Compare(a.key, b.key))
	})
	dst = append(dst, '{')
	for i, p := range all {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(append(append(dst, p.key...), '='), p.value...)
	}
	return append(dst, '}')
}

// rank maps a number to an integer. For numbers of the same type, these integers have the order of
// Java's compareTo. rank maps all other values, which sort by their text, to 0.
func rank(v any) uint64 {
	switch v := v.(type) {
	case int8:
		return uint64(v) ^ flip
	case int32:
		return uint64(v) ^ flip
	case int64:
		return uint64(v) ^ flip
	case float32:
		return orderFloat(uint64(floatBits(v)) << 32)
	case float64:
		return orderFloat(doubleBits(v))
	}
	return 0
}
