// Package typedbytes implements Hadoop Streaming's binary encoding of values
// (org.apache.hadoop.typedbytes). A value consists of a type code and its data. A stream is a
// sequence of values; with Streaming's -io typedbytes, keys and values alternate. Only Decode
// allocates memory per value. Reader trusts a length only after the data has arrived.
package typedbytes

import (
	"encoding/binary"
	"math"

	"github.com/howdah/howdah/job/failure"
)

// Class is the Java class of the Writable that contains a value. Its encoding is that of a
// BytesWritable of the typed bytes.
const Class = "org.apache.hadoop.typedbytes.TypedBytesWritable"

// The type codes. Codes 50 to 200 are for applications. A 4-byte length and the data follow such a
// code. Code 50 is a Writable of any class, stored as the class name and the serialized value.
const (
	Bytes    = 0   // 4-byte length, bytes
	Byte     = 1   // 1 byte, signed
	Bool     = 2   // 1 byte
	Int      = 3   // 4 bytes
	Long     = 4   // 8 bytes
	Float    = 5   // 4 bytes
	Double   = 6   // 8 bytes
	String   = 7   // 4-byte length, UTF-8
	Vector   = 8   // 4-byte count, values
	List     = 9   // values, then Marker
	Map      = 10  // 4-byte count, then pairs of values
	Writable = 50  // 4-byte length, 4-byte length of the class name, class name, serialized value
	lastOwn  = 200 // last of the application codes
	Marker   = 255 // ends a List
)

// maxDepth is the maximum nesting depth of vectors, lists, and maps.
const maxDepth = 100

// fixedSize returns the number of bytes after the code for types of fixed size. For other types, it
// returns -1.
func fixedSize(code byte) int {
	switch code {
	case Byte, Bool:
		return 1
	case Int, Float:
		return 4
	case Long, Double:
		return 8
	}
	return -1
}

// counted reports whether the encoding of a type is a 4-byte length and the data.
func counted(code byte) bool {
	return code == Bytes || code == String || code >= Writable && code <= lastOwn
}

// AppendBytes appends a byte string.
func AppendBytes(dst, v []byte) []byte { return AppendRaw(dst, Bytes, v) }

// AppendRaw appends v with the given code, which must be Bytes, String, or an application code.
func AppendRaw(dst []byte, code byte, v []byte) []byte {
	return append(binary.BigEndian.AppendUint32(append(dst, code), uint32(len(v))), v...)
}

// AppendByte appends a signed byte.
func AppendByte(dst []byte, v int8) []byte { return append(dst, Byte, byte(v)) }

// AppendBool appends a boolean.
func AppendBool(dst []byte, v bool) []byte {
	if v {
		return append(dst, Bool, 1)
	}
	return append(dst, Bool, 0)
}

// AppendInt appends a 32-bit integer.
func AppendInt(dst []byte, v int32) []byte {
	return binary.BigEndian.AppendUint32(append(dst, Int), uint32(v))
}

// AppendLong appends a 64-bit integer.
func AppendLong(dst []byte, v int64) []byte {
	return binary.BigEndian.AppendUint64(append(dst, Long), uint64(v))
}

// AppendFloat appends a single-precision number.
func AppendFloat(dst []byte, v float32) []byte {
	return binary.BigEndian.AppendUint32(append(dst, Float), math.Float32bits(v))
}

// AppendDouble appends a double-precision number.
func AppendDouble(dst []byte, v float64) []byte {
	return binary.BigEndian.AppendUint64(append(dst, Double), math.Float64bits(v))
}

// AppendString appends text.
func AppendString[S string | []byte](dst []byte, v S) []byte {
	return append(binary.BigEndian.AppendUint32(append(dst, String), uint32(len(v))), v...)
}

// AppendVector appends the start of a vector. The caller must append n values after it.
func AppendVector(dst []byte, n int) []byte {
	return binary.BigEndian.AppendUint32(append(dst, Vector), uint32(n))
}

// AppendMap appends the start of a map. The caller must append n pairs of values after it.
func AppendMap(dst []byte, n int) []byte {
	return binary.BigEndian.AppendUint32(append(dst, Map), uint32(n))
}

// AppendWritable appends the class name and the serialized bytes of a Writable that has no type
// code.
func AppendWritable(dst []byte, class string, b []byte) []byte {
	dst = binary.BigEndian.AppendUint32(append(dst, Writable), uint32(4+len(class)+len(b)))
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(class)))
	return append(append(dst, class...), b...)
}

func corrupt(why error) error { return failure.New(failure.Corrupt, "read", "typed bytes", why) }
