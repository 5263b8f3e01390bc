package mapreduce

import (
	"errors"

	"github.com/howdah/howdah/job/failure"
)

// MaxVIntLen is the most bytes that AppendVInt writes; AppendVLong writes up to MaxVLongLen.
const (
	MaxVIntLen  = 5
	MaxVLongLen = 9
)

// AppendVLong appends Hadoop's variable-length form of v (WritableUtils.writeVLong): one byte for -112..127, otherwise a
// byte that tells sign and length, then the magnitude with its most significant byte first.
func AppendVLong(dst []byte, v int64) []byte {
	if v >= -112 && v <= 127 {
		return append(dst, byte(v))
	}
	head, u := -112, uint64(v)
	if v < 0 {
		head, u = -120, ^u
	}
	n := 1
	for n < 8 && u>>(8*n) != 0 {
		n++
	}
	dst = append(dst, byte(head-n))
	for n--; n >= 0; n-- {
		dst = append(dst, byte(u>>(8*n)))
	}
	return dst
}

// AppendVInt appends the variable-length form of a 32-bit number; it is that of AppendVLong.
func AppendVInt(dst []byte, v int32) []byte { return AppendVLong(dst, int64(v)) }

// VLong reads a variable-length number from the start of b and tells how many bytes it took. Bytes that end too early are
// kind Corrupt. Like Hadoop it accepts forms that are longer than needed.
func VLong(b []byte) (v int64, n int, err error) {
	if len(b) == 0 {
		return 0, 0, errShortVInt()
	}
	n = vintLen(b[0])
	if n == 1 {
		return int64(int8(b[0])), 1, nil
	}
	if len(b) < n {
		return 0, 0, errShortVInt()
	}
	for _, x := range b[1:n] {
		v = v<<8 | int64(x)
	}
	if int8(b[0]) < -120 {
		v = ^v
	}
	return v, n, nil
}

// VInt reads a variable-length number that must fit 32 bits.
func VInt(b []byte) (v int32, n int, err error) {
	if len(b) > 0 && vintLen(b[0]) == 1 {
		return int32(int8(b[0])), 1, nil
	}
	l, n, err := VLong(b)
	if err == nil && int64(int32(l)) != l {
		return 0, 0, corrupt("VInt", errors.New("the number does not fit 32 bits"))
	}
	return int32(l), n, err
}

// vintLen gives the length of a variable-length number from its first byte.
func vintLen(first byte) int {
	switch f := int(int8(first)); {
	case f >= -112:
		return 1
	case f < -120:
		return -119 - f
	default:
		return -111 - f
	}
}

// putVInt writes the form of a non-negative number so that it ends just before buf[end], and gives its first index. There
// must be room for MaxVIntLen bytes.
func putVInt(buf []byte, end, v int) int {
	if v <= 127 {
		buf[end-1] = byte(v)
		return end - 1
	}
	i := end
	for u := v; u != 0; u >>= 8 {
		i--
		buf[i] = byte(u)
	}
	buf[i-1] = byte(-112 - (end - i))
	return i - 1
}

func errShortVInt() error {
	return corrupt("VInt", errors.New("the bytes end inside a variable-length number"))
}

func corrupt(what string, why error) error {
	return failure.New(failure.Corrupt, "decode", what, why)
}
