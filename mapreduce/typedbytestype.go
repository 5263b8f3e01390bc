package mapreduce

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"

	"github.com/howdah/howdah/mapreduce/typedbytes"
)

// TypedBytesWritable is Streaming's type of values: a BytesWritable that holds one value of typed bytes, and whose text is the
// value's.
var TypedBytesWritable Type = typedBytesType{}

type typedBytesType struct{ bytesType }

func (typedBytesType) Class() string { return typedbytes.Class }

// AppendText gives the value's text; what is no typed bytes is shown as bytes.
func (t typedBytesType) AppendText(dst, b []byte) []byte {
	v, _, err := typedbytes.Decode(bytesBody(b))
	if err != nil {
		return t.bytesType.AppendText(dst, b)
	}
	return appendJava(dst, v)
}

// appendJava appends what Java's toString gives for a value of typed bytes.
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
	return fmt.Append(dst, v) // whole numbers
}

// appendMap shows a map in the order of its keys, which Java keeps in a tree.
func appendMap(dst []byte, pairs []typedbytes.Pair) []byte {
	type shown struct{ key, value []byte }
	all := make([]shown, len(pairs))
	for i, p := range pairs {
		all[i] = shown{appendJava(nil, p.Key), appendJava(nil, p.Value)}
	}
	slices.SortStableFunc(all, func(a, b shown) int { return bytes.Compare(a.key, b.key) })
	dst = append(dst, '{')
	for i, p := range all {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(append(append(dst, p.key...), '='), p.value...)
	}
	return append(dst, '}')
}
