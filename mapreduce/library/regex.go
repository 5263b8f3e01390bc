package library

import (
	"bytes"
	"fmt"
	"regexp"
	"regexp/syntax"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce"
)

// Regex returns a mapper that searches each value for matches of conf.MapperRegex. It emits each
// match as a key with the count 1 (LongWritable). If conf.MapperRegexMapperGroup is set, it emits
// that group of the match instead. The syntax is RE2's.
func Regex(value mapreduce.Type) mapreduce.MapperClass {
	return textMapper(value, mapreduce.LongWritable, func(t *texts) mapreduce.Mapper { return &matcher{texts: t} })
}

// CheckRegex returns an error of kind Config if c contains an expression or a group that Regex
// cannot use.
func CheckRegex(c *conf.Config) error {
	_, _, err := compile(c)
	return err
}

func compile(c *conf.Config) (*regexp.Regexp, int, error) {
	re, err := regexp.Compile(conf.MapperRegex.Get(c))
	if err != nil {
		return nil, 0, c.Refuse(conf.MapperRegex.Name, fmt.Errorf("%w; the RE2 syntax has no look-around and no back "+
			"references", err))
	}
	if op := classOperator(conf.MapperRegex.Get(c)); op != "" {
		return nil, 0, c.Refuse(conf.MapperRegex.Name,
			fmt.Errorf("%s in a character class does not have Java's meaning; list the characters, or "+
				"escape it with \\ to match it literally", op))
	}
	group := c.Get(conf.MapperRegexMapperGroup.Name)
	if group == "" {
		group = "0"
	}
	n, err := strconv.Atoi(group)
	if err != nil || n < 0 || n > re.NumSubexp() {
		return nil, 0, c.Refuse(conf.MapperRegexMapperGroup.Name, fmt.Errorf("want a group from 0 to %d", re.NumSubexp()))
	}
	return re, n, nil
}

// classOperator returns an operator in re that Java interprets as a union or intersection of
// character classes. RE2 interprets it as plain characters and would silently produce different
// results. If re contains no such operator, classOperator returns "".
func classOperator(re string) string {
	in := false // inside a class
	for i := 0; i < len(re); i++ {
		rest := re[i:]
		switch {
		case strings.HasPrefix(rest, `\Q`):
			end := strings.Index(rest, `\E`)
			if end < 0 {
				return ""
			}
			i += end + 1
		case rest[0] == '\\':
			i++
		case !in && rest[0] == '[':
			in = true
			if strings.HasPrefix(rest, "[^") {
				i++
			}
			if strings.HasPrefix(re[i+1:], "]") { // an initial ] is a plain character
				i++
			}
		case in && strings.HasPrefix(rest, "[:"):
			if end := strings.Index(rest, ":]"); end > 0 {
				i += end + 1
			}
		case in && rest[0] == '[':
			return "["
		case in && strings.HasPrefix(rest, "&&"):
			return "&&"
		case in && rest[0] == ']':
			in = false
		}
	}
	return ""
}

type matcher struct {
	*texts
	re *regexp.Regexp
	// later finds the first match after the first byte of a text, which may be the last byte of a
	// rune. It is nil if no match depends on the text before it, so that re can search any rest.
	later *regexp.Regexp
	parts [][]byte // every match contains these texts in this order, without overlap
	group int
	key   []byte
}

// Setup implements mapreduce.Setupper.
func (m *matcher) Setup(c *mapreduce.Context) (err error) {
	if m.re, m.group, err = compile(c.Conf); err != nil {
		return err
	}
	if tree, err := syntax.Parse(m.re.String(), syntax.Perl); err == nil {
		m.parts = required(nil, tree)
		if looksBack(tree) {
			m.later = regexp.MustCompile(`\A(?s:.)(?s:.*?)(` + tree.String() + `)`)
		}
	}
	return m.texts.Setup(c)
}

// Needs implements mapreduce.Selective.
func (m *matcher) Needs() (longest []byte) {
	if m.as != mapreduce.TextWritable {
		return nil
	}
	for _, part := range m.parts {
		if len(part) > len(longest) {
			longest = part
		}
	}
	return longest
}

// required appends texts to parts that every match of re contains, in this order. It leaves out
// texts that also match malformed bytes of a value; see mapreduce.JavaString.
func required(parts [][]byte, re *syntax.Regexp) [][]byte {
	switch {
	case re.Op == syntax.OpLiteral && re.Flags&syntax.FoldCase == 0:
		if text := string(re.Rune); !strings.ContainsRune(text, utf8.RuneError) {
			parts = append(parts, []byte(text))
		}
	case re.Op == syntax.OpConcat, re.Op == syntax.OpCapture, re.Op == syntax.OpPlus,
		re.Op == syntax.OpRepeat && re.Min > 0:
		for _, part := range re.Sub {
			parts = required(parts, part)
		}
	}
	return parts
}

// looksBack reports whether a match can depend on the text before it.
func looksBack(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginLine, syntax.OpBeginText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	}
	return slices.ContainsFunc(re.Sub, looksBack)
}

// mayMatch reports whether line contains all parts. It is much faster than a search for the
// expression.
func (m *matcher) mayMatch(line []byte) bool {
	for _, part := range m.parts {
		at := bytes.Index(line, part)
		if at < 0 {
			return false
		}
		line = line[at+len(part):]
	}
	return true
}

var one = []byte{0, 0, 0, 0, 0, 0, 0, 1}

func (m *matcher) Map(_ *mapreduce.Context, _, value []byte, out mapreduce.Emitter) error {
	line := m.of(value)
	if !m.mayMatch(line) {
		return nil
	}
	if m.re.NumSubexp() > 0 && !m.re.Match(line) { // faster than a search that captures groups
		return nil
	}
	if m.later != nil && len(line) < longLine {
		for _, at := range m.re.FindAllSubmatchIndex(line, -1) {
			if err := m.emit(line, at, out); err != nil {
				return err
			}
		}
		return nil
	}
	for n, pos, last := 1, 0, -1; pos <= len(line); n++ {
		at := m.find(line, pos)
		if at == nil {
			return nil
		}
		repeated := at[1] == last // an empty match directly after another match does not count
		if last = at[1]; last > pos {
			pos = last
		} else {
			_, size := utf8.DecodeRune(line[pos:])
			pos += max(size, 1)
		}
		if !repeated {
			if err := m.emit(line, at, out); err != nil {
				return err
			}
		}
		if n%collectEvery == 0 {
			runtime.GC()
		}
	}
	return nil
}

// emit emits the match whose positions in line are at.
func (m *matcher) emit(line []byte, at []int, out mapreduce.Emitter) error {
	from, to := at[2*m.group], at[2*m.group+1]
	if from < 0 {
		return nil
	}
	m.key = text.Append(m.key[:0], line[from:to])
	return out.Emit(m.key, one)
}

// longLine is the length in bytes from which a line's matches are always found one by one, although
// a search with later takes longer. The positions of all matches of a long line at once could take
// several times as much memory as the line.
const longLine = 16 << 10

// collectEvery is the number of matches in a line after which the matcher frees the memory of their
// positions, at least 16 MiB. The collector alone would wait until the heap doubles, and the heap
// includes large buffers that are mostly untouched.
const collectEvery = 1 << 20

// find returns the positions of the first match in line that starts at pos or later, and of its
// groups. It returns nil if there is none.
func (m *matcher) find(line []byte, pos int) []int {
	if pos == 0 || m.later == nil {
		return shifted(m.re.FindSubmatchIndex(line[pos:]), pos)
	}
	at := shifted(m.later.FindSubmatchIndex(line[pos-1:]), pos-1)
	return at[min(2, len(at)):]
}

// shifted adds by to all positions in at, but not to those of groups that are not part of the match.
func shifted(at []int, by int) []int {
	for i := range at {
		if at[i] >= 0 {
			at[i] += by
		}
	}
	return at
}
