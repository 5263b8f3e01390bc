package typedbytes

import (
	"encoding/binary"
	"strings"

	"github.com/howdah/howdah/internal/vint"
)

// Converter appends the typed bytes of a serialized Writable to dst. It converts invalid bytes to
// an arbitrary but deterministic value.
type Converter func(dst, b []byte) []byte

// FromWritable returns the converter for a Java class. Text, bytes, booleans, and numbers except
// ShortWritable have their own type codes, and a TypedBytesWritable becomes its content. Any other
// class becomes a Writable with its class name. Hadoop's TypedBytesWritableOutput differs in that
// it converts the elements of arrays, maps, and records.
func FromWritable(class string) Converter {
	switch strings.TrimPrefix(class, "org.apache.hadoop.io.") {
	case Class:
		return func(dst, b []byte) []byte { return append(dst, b[min(4, len(b)):]...) }
	case "BytesWritable":
		return func(dst, b []byte) []byte { return AppendBytes(dst, b[min(4, len(b)):]) }
	case "Text":
		return func(dst, b []byte) []byte { return AppendString(dst, vint.Body(b)) }
	case "ByteWritable":
		return fixed(Byte)
	case "BooleanWritable":
		return fixed(Bool)
	case "IntWritable":
		return fixed(Int)
	case "LongWritable":
		return fixed(Long)
	case "FloatWritable":
		return fixed(Float)
	case "DoubleWritable":
		return fixed(Double)
	case "VIntWritable":
		return func(dst, b []byte) []byte {
			v, _ := vint.Long(b)
			return AppendInt(dst, int32(v))
		}
	case "VLongWritable":
		return func(dst, b []byte) []byte {
			v, _ := vint.Long(b)
			return AppendLong(dst, v)
		}
	}
	return func(dst, b []byte) []byte { return AppendWritable(dst, class, b) }
}

// fixed returns a converter for a type whose Writable has the same bytes.
func fixed(code byte) Converter {
	n := fixedSize(code)
	return func(dst, b []byte) []byte {
		dst = append(append(dst, code), b[:min(n, len(b))]...)
		for i := len(b); i < n; i++ {
			dst = append(dst, 0)
		}
		return dst
	}
}

// AppendTyped appends a TypedBytesWritable containing the typed bytes v.
func AppendTyped(dst, v []byte) []byte {
	return append(binary.BigEndian.AppendUint32(dst, uint32(len(v))), v...)
}
