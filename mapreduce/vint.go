package mapreduce

import (
	"errors"

	"github.com/howdah/howdah/internal/vint"
	"github.com/howdah/howdah/job/failure"
)

// MaxVIntLen and MaxVLongLen are the maximum numbers of bytes that AppendVInt and AppendVLong
// append.
const (
	MaxVIntLen  = 5
	MaxVLongLen = 9
)

// AppendVLong appends Hadoop's variable-length encoding of v (WritableUtils.writeVLong).
func AppendVLong(dst []byte, v int64) []byte { return vint.Append(dst, v) }

// AppendVInt appends the variable-length encoding of a 32-bit number. The encoding is the same as
// AppendVLong's.
func AppendVInt(dst []byte, v int32) []byte { return vint.Append(dst, int64(v)) }

// VLong decodes the variable-length number at the start of b. n is the length of its encoding in
// bytes. VLong returns an error of kind Corrupt for truncated input. Like Hadoop, it accepts
// encodings that are longer than necessary.
func VLong(b []byte) (v int64, n int, err error) {
	if v, n = vint.Long(b); n == 0 {
		return 0, 0, errShortVInt()
	}
	return v, n, nil
}

// VInt decodes a number like VLong but returns an error of kind Corrupt if the number does not fit
// in 32 bits.
func VInt(b []byte) (v int32, n int, err error) {
	if len(b) > 0 && vintLen(b[0]) == 1 {
		return int32(int8(b[0])), 1, nil
	}
	l, n, err := VLong(b)
	if err == nil && int64(int32(l)) != l {
		return 0, 0, corrupt("VInt", errors.New("the number does not fit in 32 bits"))
	}
	return int32(l), n, err
}

// putVInt writes a nonnegative number so that its encoding ends before buf[end], and returns the
// index of the first byte. The buffer must have room for MaxVIntLen bytes before end.
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

// vintLen returns the length of a variable-length number with the given first byte.
func vintLen(first byte) int { return vint.Len(first) }
