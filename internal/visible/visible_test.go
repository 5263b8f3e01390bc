package visible

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "",
		"plain text,\tתיקייה\r\n":     "plain text,\tתיקייה\r\n",
		"a\u202egpj.exe":              "a\uFFFDgpj.exe",
		"\u202a\u202d\u2066\u2069 x":  "\uFFFD\uFFFD\uFFFD\uFFFD x",
		"\u2029\u202f\u2065\u206a":    "\u2029\u202f\u2065\u206a",
		"\x1b[31mred\x7f\u009b\x00":   "\uFFFD[31mred\uFFFD\uFFFD\uFFFD",
		"marks of a language: \u200f": "marks of a language: \u200f",
	} {
		require.Equal(t, want, Text(text))
		require.Equal(t, want, string(Bytes([]byte(text))))
	}
	b := []byte("nothing to replace")
	require.Zero(t, testing.AllocsPerRun(10, func() { b = Bytes(b) }))
}
