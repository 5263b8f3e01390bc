package library

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce"
)

func TestRequiredText(t *testing.T) {
	for re, want := range map[string]string{
		"ymb[a-z]*ic": "ymb", "[a-z]*ing": "ing", "a.bcd.e": "bcd", "(ab)+c": "ab", "x(?:a|b)yz": "yz", "^ab$": "ab",
		"(abc){2,3}": "abc", `\bwörter\b`: "wörter", `\Qa.b\E`: "a.b", "a(?i)bc(?-i)de": "de", "(((ab)))": "ab",
		"(abc){0,3}x": "x", "(abc)*": "", "(abc)?": "", "(?i)abc": "", "abc|d": "", "[ab]": "", ".*": "", "": "",
		"a\\x{fffd}": "", "\\x{d800}bc": "", // a malformed byte of the value becomes U+FFFD
	} {
		require.Equal(t, want, string(needs(t, re, mapreduce.TextWritable)), re)
	}
	require.Empty(t, needs(t, "123", mapreduce.LongWritable), "a number's serialized bytes are not its text")
}

// TestMayMatch checks that a line without a match is sorted out only if a required text is missing
// or out of order.
func TestMayMatch(t *testing.T) {
	for re, lines := range map[string]map[string]bool{
		"ab[a-z]*cd":      {"abcd": true, "xabyycdz": true, "cdab": false, "abc": false, "ab cd": true, "": false},
		"aa+b":            {"aab": true, "baab": true, "ab": false},
		"(abc)+x(?:y|z)?": {"abcx": true, "abx": false, "xabc": false},
		"aba.*ba":         {"ababa": true, "aba": false, "ababba": true},
		"[ab]*":           {"": true, "c": true},
		"a\\x{fffd}*b":    {"a\xffb": true, "b": false},
	} {
		m := regex(t, re, mapreduce.TextWritable)
		for line, want := range lines {
			require.Equal(t, want, m.mayMatch([]byte(line)), "%s in %q", re, line)
			require.True(t, want || !m.re.MatchString(line), "%s matches %q", re, line)
		}
	}
}

// TestMatchesOneByOne checks that a line has the same matches as if they were found all at once.
func TestMatchesOneByOne(t *testing.T) {
	values := [][]byte{nil, []byte("a"), []byte("\nab\n\nb"), []byte("\xff\xffb é"),
		[]byte(strings.Repeat("abbé b cab\xff\xffxab \nab", longLine/20) + strings.Repeat("a", 100))}
	for _, re := range []string{"ab", "b*", "b", "x*", "a?b?", "[a-z]+", "(a)(b)?", "(c)?a", "b$", "^a", "(?m)^a", `\bb`,
		`b\B`, "(|c)a", `\Ba`, `\b`, `\B`, "(?m)^", "^", "$", "(?m)$", `(?i)\b[A-Z]?`, `\b(?:a|ab|c*)`, `\ba.*?b|b`,
		`a\b|\Qb\`, `(?U)\ba+|.\b`, `(a|\b)(b*)`, "(?s)^.|b", `é|\x{fffd}`} {
		m := regex(t, re, mapreduce.TextWritable)
		for m.group = range m.re.NumSubexp() + 1 {
			for _, v := range values {
				var want, got keys
				line := mapreduce.JavaString(v)
				for _, at := range m.re.FindAllSubmatchIndex(line, -1) {
					if from := at[2*m.group]; from >= 0 {
						want = append(want, string(line[from:at[2*m.group+1]]))
					}
				}
				require.NoError(t, m.Map(nil, nil, text.Append(nil, v), &got))
				require.Equal(t, want, got, "%s in %.20q", re, v)
			}
		}
	}
}

// keys holds the texts of emitted keys.
type keys []string

func (k *keys) Emit(key, _ []byte) error {
	s, err := text.Decode(key)
	*k = append(*k, string(s))
	return err
}

func needs(t *testing.T, re string, value mapreduce.Type) []byte {
	return regex(t, re, value).Needs()
}

func regex(t *testing.T, re string, value mapreduce.Type) *matcher {
	c := conf.New()
	c.Set(conf.MapperRegex.Name, re, "test")
	m := Regex(value).New().(*matcher)
	require.NoError(t, m.Setup(mapreduce.NewContext(context.Background(), mapreduce.Env{Conf: c}, mapreduce.TaskInfo{})))
	return m
}
