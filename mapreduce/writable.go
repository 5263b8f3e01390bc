package mapreduce

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"

	"github.com/howdah/howdah/internal/vint"
)

// The types of keys and values: Hadoop's Writables, with the same bytes, order, and hash codes as
// in Java. Their methods never fail; they map invalid bytes to an arbitrary but deterministic
// value. The decoders of the typed layer (CodecOf) check the bytes.
var (
	TextWritable    Type = textType{}    // variable-length count of bytes, then UTF-8; ordered by bytes
	BytesWritable   Type = bytesType{}   // 4-byte count, then bytes; ordered by bytes
	IntWritable     Type = intType{}     // 4 bytes
	LongWritable    Type = longType{}    // 8 bytes
	VIntWritable    Type = vintType{}    // variable length, 32 bits
	VLongWritable   Type = vlongType{}   // variable length, 64 bits
	ShortWritable   Type = shortType{}   // 2 bytes
	ByteWritable    Type = byteType{}    // 1 byte, signed
	BooleanWritable Type = booleanType{} // 1 byte, false before true
	FloatWritable   Type = floatType{}   // 4 bytes; -0.0 before 0.0, NaN last
	DoubleWritable  Type = doubleType{}  // 8 bytes; -0.0 before 0.0, NaN last
	NullWritable    Type = nullType{}    // no bytes
	MD5Hash         Type = md5Type{}     // 16 bytes
)

// flip is the sign bit. With that bit inverted, signed numbers sort correctly when they are
// compared as unsigned ones.
const flip = 1 << 63

// prefix8 returns the first eight bytes of b as a number. It pads a shorter slice with zeros.
func prefix8(b []byte) uint64 {
	if len(b) >= 8 {
		return binary.BigEndian.Uint64(b)
	}
	var p uint64
	for i, x := range b {
		p |= uint64(x) << (56 - 8*i)
	}
	return p
}

// hashBytes returns the hash of Hadoop's WritableComparator.hashBytes: 31*h + byte, starting at 1,
// with signed bytes.
func hashBytes(b []byte) int32 {
	h := int32(1)
	for ; len(b) >= 4; b = b[4:] {
		h = h*(31*31*31*31) + int32(int8(b[0]))*(31*31*31) + int32(int8(b[1]))*(31*31) + int32(int8(b[2]))*31 +
			int32(int8(b[3]))
	}
	for _, x := range b {
		h = 31*h + int32(int8(x))
	}
	return h
}

// comparePrefix compares the prefixes of two values. It is for types whose prefix is the whole
// value.
func comparePrefix(a, b uint64) int {
	if a < b {
		return -1
	}
	if a > b {
		return 1
	}
	return 0
}

type textType struct{}

func (textType) Class() string                   { return "org.apache.hadoop.io.Text" }
func (textType) Compare(a, b []byte) int         { return bytes.Compare(vint.Body(a), vint.Body(b)) }
func (textType) Prefix(b []byte) uint64          { return prefix8(vint.Body(b)) }
func (textType) Hash(b []byte) int32             { return hashBytes(vint.Body(b)) }
func (textType) AppendText(dst, b []byte) []byte { return append(dst, vint.Body(b)...) }

func appendText[S ~string | ~[]byte](dst []byte, s S) []byte {
	// This is the common case of AppendVLong, without a call.
	if n := len(s); n <= 127 && n < cap(dst)-len(dst) {
		at := len(dst)
		dst = dst[:at+1+n]
		dst[at] = byte(n)
		copy(dst[at+1:], s)
		return dst
	}
	return append(AppendVLong(dst, int64(len(s))), s...)
}

func decodeText(b []byte) ([]byte, error) {
	v, n, err := VInt(b)
	if err == nil && int(v) != len(b)-n {
		err = fmt.Errorf("length %d, but %d bytes follow", v, len(b)-n)
	}
	if err != nil {
		return nil, corrupt("Text", err)
	}
	return b[n:], nil
}

type bytesType struct{}

func bytesBody(b []byte) []byte { return b[min(4, len(b)):] }

func (bytesType) Class() string           { return "org.apache.hadoop.io.BytesWritable" }
func (bytesType) Compare(a, b []byte) int { return bytes.Compare(bytesBody(a), bytesBody(b)) }
func (bytesType) Prefix(b []byte) uint64  { return prefix8(bytesBody(b)) }
func (bytesType) Hash(b []byte) int32     { return hashBytes(bytesBody(b)) }

// AppendText appends pairs of hexadecimal digits, separated by spaces.
func (bytesType) AppendText(dst, b []byte) []byte {
	for i, x := range bytesBody(b) {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = appendHex(dst, x)
	}
	return dst
}

func appendHex(dst []byte, x byte) []byte {
	const digits = "0123456789abcdef"
	return append(dst, digits[x>>4], digits[x&15])
}

func appendBytes(dst, v []byte) []byte {
	return append(binary.BigEndian.AppendUint32(dst, uint32(len(v))), v...)
}

func decodeBytes(b []byte) ([]byte, error) {
	if len(b) < 4 {
		return nil, corrupt("BytesWritable", errors.New("the length is missing"))
	}
	if n := binary.BigEndian.Uint32(b); uint64(n) != uint64(len(b)-4) {
		return nil, corrupt("BytesWritable", fmt.Errorf("length %d, but %d bytes follow", n, len(b)-4))
	}
	return b[4:], nil
}

type booleanType struct{}

func isTrue(b []byte) bool { return len(b) > 0 && b[0] != 0 }

func (booleanType) Class() string             { return "org.apache.hadoop.io.BooleanWritable" }
func (t booleanType) Compare(a, b []byte) int { return comparePrefix(t.Prefix(a), t.Prefix(b)) }
func (booleanType) Prefix(b []byte) uint64 {
	if isTrue(b) {
		return 1
	}
	return 0
}

// Hash returns 0 for true and 1 for false, like Hadoop.
func (booleanType) Hash(b []byte) int32 {
	if isTrue(b) {
		return 0
	}
	return 1
}
func (booleanType) AppendText(dst, b []byte) []byte { return strconv.AppendBool(dst, isTrue(b)) }

type nullType struct{}

func (nullType) Class() string                   { return "org.apache.hadoop.io.NullWritable" }
func (nullType) Compare(a, b []byte) int         { return 0 }
func (nullType) Prefix(b []byte) uint64          { return 0 }
func (nullType) Hash(b []byte) int32             { return 0 }
func (nullType) AppendText(dst, b []byte) []byte { return append(dst, "(null)"...) }

type md5Type struct{}

func (md5Type) Class() string           { return "org.apache.hadoop.io.MD5Hash" }
func (md5Type) Compare(a, b []byte) int { return bytes.Compare(a, b) }
func (md5Type) Prefix(b []byte) uint64  { return prefix8(b) }

// Hash returns the first four bytes of the digest.
func (md5Type) Hash(b []byte) int32 { return int32(prefix8(b) >> 32) }
func (md5Type) AppendText(dst, b []byte) []byte {
	for _, x := range b {
		dst = appendHex(dst, x)
	}
	return dst
}
