// Package typedbytes has Hadoop Streaming's binary form of values (org.apache.hadoop.typedbytes): a byte that tells the
// type, then the value. A stream is values one after the other; Streaming's -io typedbytes sends key, value, key, value.
// Nothing is allocated per value, and a length is never believed before its bytes are there.
package typedbytes

import (
	"encoding/binary"
	"math"

	"github.com/howdah/howdah/job/failure"
)

// Class is the Writable that holds one value: a BytesWritable of its typed bytes.
const Class = "org.apache.hadoop.typedbytes.TypedBytesWritable"

// The codes of types. Those from 50 to 200 are the applications' own, a 4-byte length and bytes; 50 is any Writable: the
// name of its class, then its own bytes.
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
	Map      = 10  // 4-byte count, pairs of values
	Writable = 50  // 4-byte length, 4-byte length of the class, the class, bytes
	lastOwn  = 200 // of the applications' codes
	Marker   = 255 // ends a List
)

// maxDepth bounds how deep vectors, lists and maps lie inside each other.
const maxDepth = 100

// fixedSize gives the bytes after the code of types that always take as many; -1 for the others.
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

// counted tells types of a 4-byte length and bytes.
func counted(code byte) bool {
	return code == Bytes || code == String || code >= Writable && code <= lastOwn
}

// AppendBytes appends bytes.
func AppendBytes(dst, v []byte) []byte { return AppendRaw(dst, Bytes, v) }

// AppendRaw appends bytes under a code of the applications' own, Bytes or String.
func AppendRaw(dst []byte, code byte, v []byte) []byte {
	return append(binary.BigEndian.AppendUint32(append(dst, code), uint32(len(v))), v...)
}

// AppendByte appends a signed byte.
func AppendByte(dst []byte, v int8) []byte { return append(dst, Byte, byte(v)) }

// AppendBool appends a truth value.
func AppendBool(dst []byte, v bool) []byte {
	if v {
		return append(dst, Bool, 1)
	}
	return append(dst, Bool, 0)
}

// AppendInt appends a number of 32 bits.
func AppendInt(dst []byte, v int32) []byte {
	return binary.BigEndian.AppendUint32(append(dst, Int), uint32(v))
}

// AppendLong appends a number of 64 bits.
func AppendLong(dst []byte, v int64) []byte {
	return binary.BigEndian.AppendUint64(append(dst, Long), uint64(v))
}

// AppendFloat appends a number of single precision.
func AppendFloat(dst []byte, v float32) []byte {
	return binary.BigEndian.AppendUint32(append(dst, Float), math.Float32bits(v))
}

// AppendDouble appends a number of double precision.
func AppendDouble(dst []byte, v float64) []byte {
	return binary.BigEndian.AppendUint64(append(dst, Double), math.Float64bits(v))
}

// AppendString appends text.
func AppendString[S string | []byte](dst []byte, v S) []byte {
	return append(binary.BigEndian.AppendUint32(append(dst, String), uint32(len(v))), v...)
}

// AppendVector starts a vector; n values follow.
func AppendVector(dst []byte, n int) []byte {
	return binary.BigEndian.AppendUint32(append(dst, Vector), uint32(n))
}

// AppendMap starts a map; n pairs of values follow.
func AppendMap(dst []byte, n int) []byte {
	return binary.BigEndian.AppendUint32(append(dst, Map), uint32(n))
}

// AppendWritable appends a Writable that has no type of its own here: its class and its bytes.
func AppendWritable(dst []byte, class string, b []byte) []byte {
	dst = binary.BigEndian.AppendUint32(append(dst, Writable), uint32(4+len(class)+len(b)))
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(class)))
	return append(append(dst, class...), b...)
}

func corrupt(why error) error { return failure.New(failure.Corrupt, "read", "typed bytes", why) }
