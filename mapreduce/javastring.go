package mapreduce

import "unicode/utf8"

// JavaString gives text as Java sees it when it makes a String of a Text: b itself if it is valid UTF-8, otherwise a copy in
// which each malformed sequence is U+FFFD. Programs that cut or match text call it to agree with Hadoop's byte for byte on
// whatever input.
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

// malformed gives the length of the malformed sequence at the start of b by the rules of Java's decoder. They are those of
// Unicode's "maximal subpart", but an encoded surrogate counts as one sequence, and so does what is cut off by the end.
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

// appendToString appends what Java's toString gives of a value, as text: a Text's malformed sequences are U+FFFD then. (What
// writes Text itself to a file, as TextOutput does, writes the bytes as they are.)
func appendToString(dst []byte, t Type, b []byte) []byte {
	at := len(dst)
	dst = t.AppendText(dst, b)
	if t != TextWritable {
		return dst
	}
	return append(dst[:at], JavaString(dst[at:])...)
}
