// Package visible replaces characters that change how other text appears.
package visible

import (
	"bytes"
	"strings"
	"unicode"
)

// Text returns s with U+FFFD in place of each control character except line breaks and tabs, and of
// each character that changes the direction of the text after it, such as U+202E.
func Text(s string) string { return strings.Map(replace, s) }

// Bytes does the same as Text for b, and may return b itself.
func Bytes(b []byte) []byte {
	if !bytes.ContainsFunc(b, func(r rune) bool { return replace(r) != r }) {
		return b
	}
	return bytes.Map(replace, b)
}

func replace(r rune) rune {
	switch {
	case r == '\n' || r == '\t' || r == '\r':
		return r
	case unicode.IsControl(r), r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return unicode.ReplacementChar
	}
	return r
}
