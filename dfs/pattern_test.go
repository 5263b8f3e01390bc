package dfs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMatchName(t *testing.T) {
	cases := []struct {
		pattern string
		yes, no string // blank-separated names
	}{
		{"*", "a .hidden a.b", ""},
		{"a*c", "ac abc abbc acc", "a ab bac acb"},
		{"*.txt", "a.txt .txt a.b.txt", "a.txtx txt"},
		{"a?c", "abc aéc a日c", "ac abbc"},
		{"[abc]x", "ax bx cx", "dx x ab"},
		{"[acx]", "a c x", "b"},
		{"[a-c]x", "ax bx cx", "dx -x"},
		{"[a-c-]x", "ax -x", "dx"},
		{"[^a-c]x", "dx ^x", "ax"},
		{"[!a]x", "bx", "ax"},
		{"[]a]x", "]x ax", "bx"},
		{`[\]]`, "]", `\`},
		{`\*`, "*", `a \*`},
		{`\[a\]`, "[a]", "a"},
		{"a.c", "a.c", "abc"},
		{"(a|b)+$", "(a|b)+$", "a"},
		{"**", "a", ""},
		{"*a*b*c*", "abc xaxbxcx", "acb"},
		{"日*", "日 日本", "本"},
	}
	for _, c := range cases {
		require.NoError(t, wellFormed(c.pattern))
		for _, name := range strings.Fields(c.yes) {
			require.True(t, matchName(c.pattern, name), "%q should match %q", c.pattern, name)
		}
		for _, name := range strings.Fields(c.no) {
			require.False(t, matchName(c.pattern, name), "%q should not match %q", c.pattern, name)
		}
	}
}

func TestUnescape(t *testing.T) {
	for e, want := range map[string]string{"plain": "plain", `\*`: "*", `a\[b\]c`: "a[b]c", `\\`: `\`} {
		got, literal := unescape(e)
		require.True(t, literal, e)
		require.Equal(t, want, got)
	}
	for _, e := range []string{"a*", "[a]", `\*?`, `a\`} {
		_, literal := unescape(e)
		require.False(t, literal, e)
	}
}

// TestMatchNameOfBrokenText checks that bytes that are not valid UTF-8 match only themselves.
func TestMatchNameOfBrokenText(t *testing.T) {
	require.True(t, matchName("a\xff*", "a\xffb"))
	require.False(t, matchName("a\xff*", "a\xfeb"))
	require.True(t, matchName("\uFFFD", "\uFFFD"))
	require.False(t, matchName("\uFFFD", "\xff"))
}

func TestMatchNameIsNotExponential(t *testing.T) {
	require.False(t, matchName(strings.Repeat("*a", 50)+"b", strings.Repeat("a", 5000)))
}

func TestBraces(t *testing.T) {
	cases := map[string][]string{
		"a":              {"a"},
		"{a,b}":          {"a", "b"},
		"x{a,b}y":        {"xay", "xby"},
		"{a,b}{c,d}":     {"ac", "ad", "bc", "bd"},
		"{a,b{c,d{e,}}}": {"a", "bc", "bde", "bd"},
		"{a/b,c}/d":      {"a/b/d", "c/d"},
		"{}":             {""},
		"{a}":            {"a"},
		`\{a,b\}`:        {`\{a,b\}`},
		`{a\,b,c}`:       {`a\,b`, "c"},
		"[{]a":           {"[{]a"},
		"{[,}],b}":       {"[,}]", "b"},
		"a,b}":           {"a,b}"},
	}
	for pattern, want := range cases {
		got, err := braces(pattern)
		require.NoError(t, err, pattern)
		require.Equal(t, want, got, pattern)
	}
}

func TestMalformedPatterns(t *testing.T) {
	for _, p := range []string{"{a", "a{b,{c}", "[a", "[", "[^", "[b-a]", `a\`, `*\`, `[a\`} {
		list, err := braces(p)
		for _, e := range list {
			if err == nil {
				err = wellFormed(e)
			}
		}
		require.ErrorIs(t, err, errGlob, p)
	}
}

func FuzzPattern(f *testing.F) {
	for _, p := range []string{"*", "a?[b-c]{d,e}", `\*[^]]`, "{{{", "[[[", "{a,{b,c}}{d,e}", "日[本-語]"} {
		f.Add(p, "name")
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		list, err := braces(pattern)
		if err != nil {
			return
		}
		for _, e := range list {
			plain, literal := unescape(e)
			if wellFormed(e) != nil {
				continue
			}
			got := matchName(e, name)
			valid := strings.ToValidUTF8(plain, "") == plain && strings.ToValidUTF8(name, "") == name
			if literal && valid && got != (plain == name) {
				t.Fatalf("%q stands for %q, and matches %q: %v", e, plain, name, got)
			}
		}
	})
}
