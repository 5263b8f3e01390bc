package mapreduce

import (
	"errors"

	"github.com/howdah/howdah/internal/vint"
	"github.com/howdah/howdah/job/failure"
)

// MaxVIntLen is the most bytes that AppendVInt writes; AppendVLong writes up to MaxVLongLen.
const (
	MaxVIntLen  = 5
	MaxVLongLen = 9
)

// AppendVLong appends Hadoop's variable-length form of v (WritableUtils.writeVLong).
func AppendVLong(dst []byte, v int64) []byte { return vint.Append(dst, v) }

// AppendVInt appends the variable-length form of a 32-bit number; it is that of AppendVLong.
func AppendVInt(dst []byte, v int32) []byte { return vint.Append(dst, int64(v)) }

// VLong reads a variable-length number from the start of b and tells how many bytes it took. Bytes that end too early are
// kind Corrupt. Like Hadoop it accepts forms that are longer than needed.
func VLong(b []byte) (v int64, n int, err error) {
	if v, n = vint.Long(b); n == 0 {
		return 0, 0, errShortVInt()
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

// vintLen gives the length of a variable-length number from its first byte.
func vintLen(first byte) int { return vint.Len(first) }
