package mapreduce

import "unicode/utf8"

// JavaString decodes b as Java does when it converts a Text to a String, and returns the result as
// UTF-8. If b is valid UTF-8, it returns b itself. Otherwise, it returns a copy with U+FFFD for
// each malformed sequence. Programs that split or match text use it to agree with Hadoop on any
// input.
func JavaString(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	out := make([]byte, 0, len(b)+8)
	for len(b) > 0 {
		n := 1
		if b[0] < utf8.RuneSelf {
			out = append(out, b[0])
		} else if r, size := utf8.DecodeRune(b); r != utf8.RuneError || size > 1 {
			out = append(out, b[:size]...)
			n = size
		} else {
			out = utf8.AppendRune(out, utf8.RuneError)
			n = malformed(b)
		}
		b = b[n:]
	}
	return out
}

// malformed returns the length of what Java's decoder considers the malformed sequence at the start
// of b. Java follows Unicode's "maximal subpart" rule with one exception: an encoded surrogate,
// even a truncated one, counts as a single sequence.
func malformed(b []byte) int {
	second := func(ok func(byte) bool) bool { return len(b) > 1 && continues(b[1]) && ok(b[1]) }
	switch c := b[0]; {
	case c&0xf0 == 0xe0:
		if !second(func(x byte) bool { return c != 0xe0 || x >= 0xa0 }) {
			return 1
		}
		if len(b) > 2 && continues(b[2]) {
			return 3 // a surrogate
		}
		return 2
	case c >= 0xf0 && c <= 0xf4:
		if !second(func(x byte) bool { return (c != 0xf0 || x >= 0x90) && (c != 0xf4 || x < 0x90) }) {
			return 1
		}
		if len(b) > 2 && continues(b[2]) {
			return 3
		}
		return 2
	}
	return 1
}

func continues(c byte) bool { return c&0xc0 == 0x80 }

// appendToString appends b, a value of type t, in the format of Java's toString. Malformed
// sequences of a Text become U+FFFD. Formats that write a Text itself to a file, like TextOutput,
// keep its bytes unchanged.
func appendToString(dst []byte, t Type, b []byte) []byte {
	at := len(dst)
	dst = t.AppendText(dst, b)
	if t != TextWritable {
		return dst
	}
	return append(dst[:at], JavaString(dst[at:])...)
}
