package mapreduce

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestJavaString(t *testing.T) {
	for in, want := range map[string]string{
		"":                 "",
		"naïve 日本 🐘":       "naïve 日本 🐘",
		"a\x80b":           "a�b",
		"\xc3":             "�",
		"\xc0\xaf":         "��",
		"\xc3(":            "�(",
		"\xe2\x82":         "�",        // cut off
		"\xe2\x82x":        "�x",       // the two bytes count as one sequence
		"\xe0\x80\x80":     "���",      // overlong
		"\xed\xa0\x80x":    "�x",       // a surrogate counts as one sequence
		"\xed\xa0":         "�",        // half a surrogate
		"\xf0\x9f\x90":     "�",        // cut off
		"\xf0\x9f\x90x":    "�x",       //
		"\xf0\x9fx":        "�x",       //
		"\xf0\x80\x80\x80": "����",     // overlong
		"\xf4\x90\x80\x80": "����",     // above the last code point
		"\xf5\x80\xff\xf8": "����",     // no lead bytes
		"x \xff\xfe y 🐘":   "x �� y 🐘", //
	} {
		got := JavaString([]byte(in))
		require.Equal(t, want, string(got), "%q", in)
		require.True(t, utf8.Valid(got))
	}
	valid := []byte("no copy")
	require.Same(t, &valid[0], &JavaString(valid)[0])
}
