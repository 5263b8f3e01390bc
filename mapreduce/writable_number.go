package mapreduce

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
)

// be32 decodes a big-endian 32-bit number, and be64 a big-endian 64-bit number. Missing bytes count
// as zero.
func be32(b []byte) uint32 {
	if len(b) >= 4 {
		return binary.BigEndian.Uint32(b)
	}
	return uint32(prefix8(b) >> 32)
}

func be64(b []byte) uint64 { return prefix8(b) }

func fixed(class string, b []byte, n int) error {
	if len(b) == n {
		return nil
	}
	return corrupt(class, fmt.Errorf("%d bytes instead of %d", len(b), n))
}

type intType struct{}

func (intType) Class() string             { return "org.apache.hadoop.io.IntWritable" }
func (t intType) Compare(a, b []byte) int { return comparePrefix(t.Prefix(a), t.Prefix(b)) }
func (intType) Prefix(b []byte) uint64    { return uint64(be32(b))<<32 ^ flip }
func (intType) Hash(b []byte) int32       { return int32(be32(b)) }
func (intType) AppendText(dst, b []byte) []byte {
	return strconv.AppendInt(dst, int64(int32(be32(b))), 10)
}

type longType struct{}

func (longType) Class() string             { return "org.apache.hadoop.io.LongWritable" }
func (t longType) Compare(a, b []byte) int { return comparePrefix(t.Prefix(a), t.Prefix(b)) }
func (longType) Prefix(b []byte) uint64    { return be64(b) ^ flip }

// Hash returns only the low half, like Hadoop's class. java.lang.Long combines both halves.
func (longType) Hash(b []byte) int32             { return int32(be64(b)) }
func (longType) AppendText(dst, b []byte) []byte { return strconv.AppendInt(dst, int64(be64(b)), 10) }

type shortType struct{}

func short(b []byte) int16 { return int16(prefix8(b) >> 48) }

func (shortType) Class() string             { return "org.apache.hadoop.io.ShortWritable" }
func (t shortType) Compare(a, b []byte) int { return comparePrefix(t.Prefix(a), t.Prefix(b)) }
func (shortType) Prefix(b []byte) uint64    { return uint64(uint16(short(b)))<<48 ^ flip }
func (shortType) Hash(b []byte) int32       { return int32(short(b)) }
func (shortType) AppendText(dst, b []byte) []byte {
	return strconv.AppendInt(dst, int64(short(b)), 10)
}

type byteType struct{}

func octet(b []byte) int8 { return int8(prefix8(b) >> 56) }

func (byteType) Class() string             { return "org.apache.hadoop.io.ByteWritable" }
func (t byteType) Compare(a, b []byte) int { return comparePrefix(t.Prefix(a), t.Prefix(b)) }
func (byteType) Prefix(b []byte) uint64    { return uint64(uint8(octet(b)))<<56 ^ flip }
func (byteType) Hash(b []byte) int32       { return int32(octet(b)) }
func (byteType) AppendText(dst, b []byte) []byte {
	return strconv.AppendInt(dst, int64(octet(b)), 10)
}

type vlongType struct{}

// varLong decodes a variable-length number. It returns zero for invalid bytes.
func varLong(b []byte) int64 {
	v, _, _ := VLong(b)
	return v
}

func (vlongType) Class() string                   { return "org.apache.hadoop.io.VLongWritable" }
func (t vlongType) Compare(a, b []byte) int       { return comparePrefix(t.Prefix(a), t.Prefix(b)) }
func (vlongType) Prefix(b []byte) uint64          { return uint64(varLong(b)) ^ flip }
func (vlongType) Hash(b []byte) int32             { return int32(varLong(b)) }
func (vlongType) AppendText(dst, b []byte) []byte { return strconv.AppendInt(dst, varLong(b), 10) }

type vintType struct{ vlongType }

func (vintType) Class() string { return "org.apache.hadoop.io.VIntWritable" }

func decodeVLong(b []byte) (int64, error) {
	v, n, err := VLong(b)
	if err == nil && n != len(b) {
		err = fixed("VLongWritable", b, n)
	}
	return v, err
}

func decodeVInt(b []byte) (int32, error) {
	v, n, err := VInt(b)
	if err == nil && n != len(b) {
		err = fixed("VIntWritable", b, n)
	}
	return v, err
}

type doubleType struct{}

func (doubleType) Class() string             { return "org.apache.hadoop.io.DoubleWritable" }
func (t doubleType) Compare(a, b []byte) int { return comparePrefix(t.Prefix(a), t.Prefix(b)) }
func (doubleType) Prefix(b []byte) uint64    { return orderFloat(doubleBits(float(be64(b)))) }

// Hash returns the low half of the bits, like Hadoop's DoubleWritable.
func (doubleType) Hash(b []byte) int32             { return int32(doubleBits(float(be64(b)))) }
func (doubleType) AppendText(dst, b []byte) []byte { return AppendDouble(dst, float(be64(b))) }

func float(bits uint64) float64 { return math.Float64frombits(bits) }

// doubleBits returns the result of Java's doubleToLongBits, in which every NaN has the same bits.
func doubleBits(f float64) uint64 {
	if f != f {
		return 0x7ff8000000000000
	}
	return math.Float64bits(f)
}

// orderFloat maps the bits of a float to a number. These numbers sort in the order of Java's
// Double.compare.
func orderFloat(bits uint64) uint64 {
	if bits&flip != 0 {
		return ^bits
	}
	return bits | flip
}

type floatType struct{}

func (floatType) Class() string             { return "org.apache.hadoop.io.FloatWritable" }
func (t floatType) Compare(a, b []byte) int { return comparePrefix(t.Prefix(a), t.Prefix(b)) }
func (floatType) Prefix(b []byte) uint64 {
	return orderFloat(uint64(floatBits(math.Float32frombits(be32(b)))) << 32)
}
func (floatType) Hash(b []byte) int32 { return int32(floatBits(math.Float32frombits(be32(b)))) }
func (floatType) AppendText(dst, b []byte) []byte {
	return AppendFloat(dst, math.Float32frombits(be32(b)))
}

func floatBits(f float32) uint32 {
	if f != f {
		return 0x7fc00000
	}
	return math.Float32bits(f)
}
