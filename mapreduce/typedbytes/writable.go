package typedbytes

import (
	"encoding/binary"
	"strings"

	"github.com/howdah/howdah/internal/vint"
)

// Converter appends the typed bytes of a serialised Writable to dst. Bytes that are no value of the class are converted
// somehow, the same way every time.
type Converter func(dst, b []byte) []byte

// FromWritable gives the converter of a Java class, as Hadoop's TypedBytesWritableOutput writes it: numbers, text, bytes and
// truth values as such, a TypedBytesWritable as what it holds, all else as Writable with the name of its class.
func FromWritable(class string) Converter {
	switch strings.TrimPrefix(class, "org.apache.hadoop.io.") {
	case Class:
		return func(dst, b []byte) []byte { return append(dst, b[min(4, len(b)):]...) }
	case "BytesWritable":
		return func(dst, b []byte) []byte { return AppendBytes(dst, b[min(4, len(b)):]) }
	case "Text":
		return func(dst, b []byte) []byte { return AppendString(dst, textBody(b)) }
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

// fixed is for types whose Writable has the same bytes.
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

func textBody(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return b[min(vint.Len(b[0]), len(b)):]
}

// AppendTyped appends the TypedBytesWritable that holds the typed bytes v.
func AppendTyped(dst, v []byte) []byte {
	return append(binary.BigEndian.AppendUint32(dst, uint32(len(v))), v...)
}
