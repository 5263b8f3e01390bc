// Package vint encodes Hadoop's variable-length numbers (WritableUtils.writeVLong). A number from
// -112 to 127 is one byte. For other numbers, the first byte encodes the sign and the length. After
// that comes the number, or its complement if it is negative, with the most significant byte first.
package vint

// MaxLen is the maximum length of an encoded number, in bytes.
const MaxLen = 9

// Append appends the encoded form of v to dst.
func Append(dst []byte, v int64) []byte {
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

// Long decodes the number at the start of b. It returns the number and its encoded length, which is
// 0 if b is too short. Like Hadoop, it accepts encodings that are longer than necessary.
func Long(b []byte) (v int64, n int) {
	if len(b) == 0 {
		return 0, 0
	}
	n = Len(b[0])
	if n == 1 {
		return int64(int8(b[0])), 1
	}
	if len(b) < n {
		return 0, 0
	}
	for _, x := range b[1:n] {
		v = v<<8 | int64(x)
	}
	if int8(b[0]) < -120 {
		v = ^v
	}
	return v, n
}

// Body returns b without the number at its start. For a serialized Text, this is the text. Because the
// length of b makes that number redundant, Body does not check it.
func Body(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return b[min(Len(b[0]), len(b)):]
}

// Len returns the length, in bytes, of the encoded number whose first byte is first.
func Len(first byte) int {
	switch f := int(int8(first)); {
	case f >= -112:
		return 1
	case f < -120:
		return -119 - f
	default:
		return -111 - f
	}
}
