package library

import (
	"bytes"
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

// A long line has the same matches as without batches.
func TestMatchesInBatches(t *testing.T) {
	line := text.Append(nil, []byte(strings.Repeat("abbé b cab\xff\xffxab ", 3*matchBatch/2)+
		strings.Repeat("a", 3*matchBatch)))
	for _, re := range []string{"ab", "b*", "b", "x*", "a?b?", "[a-z]+", "(a)(b)?", "b$", "^a", "(?m)^a", `\bb`, `b\B`,
		"(|c)a", `\Ba`} {
		m := regex(t, re, mapreduce.TextWritable)
		var all, batches keys
		require.NoError(t, m.Map(nil, nil, line, &batches))
		m.batch = -1
		require.NoError(t, m.Map(nil, nil, line, &all))
		require.Equal(t, all.n, batches.n, re)
		require.True(t, bytes.Equal(all.text, batches.text), re)
	}
}

// keys holds emitted keys, one after the other.
type keys struct {
	n    int
	text []byte
}

func (k *keys) Emit(key, _ []byte) error {
	k.n, k.text = k.n+1, append(k.text, key...)
	return nil
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
