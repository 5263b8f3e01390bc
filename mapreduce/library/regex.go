package library

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce"
)

// The keys of Regex.
const (
	KeyRegex      = "mapreduce.mapper.regex"
	KeyRegexGroup = "mapreduce.mapper.regexmapper..group" // 0, the whole match
)

// Regex emits each match of KeyRegex in a value, or the group KeyRegexGroup of it, with the count 1 (LongWritable). The syntax is
// RE2's.
func Regex(value mapreduce.Type) mapreduce.MapperClass {
	return textMapper(value, mapreduce.LongWritable, func(t *texts) mapreduce.Mapper { return &matcher{texts: t} })
}

// CheckRegex refuses an expression or a group that Regex could not use; kind Config.
func CheckRegex(c *conf.Config) error {
	_, _, err := compile(c)
	return err
}

func compile(c *conf.Config) (*regexp.Regexp, int, error) {
	re, err := regexp.Compile(c.Get(KeyRegex))
	if err != nil {
		return nil, 0, c.Refuse(KeyRegex, fmt.Errorf("%w; the syntax is RE2's: no look-around, no back references", err))
	}
	if op := classOperator(c.Get(KeyRegex)); op != "" {
		return nil, 0, c.Refuse(KeyRegex, fmt.Errorf("%s in a class is not Java's operation here; write the class out, or put a \\ before it if the character is meant", op))
	}
	group := c.Get(KeyRegexGroup)
	if group == "" {
		group = "0"
	}
	n, err := strconv.Atoi(group)
	if err != nil || n < 0 || n > re.NumSubexp() {
		return nil, 0, c.Refuse(KeyRegexGroup, fmt.Errorf("the expression has groups 0 to %d", re.NumSubexp()))
	}
	return re, n, nil
}

// classOperator finds what Java takes for a union or an intersection of character classes, and RE2 for the characters themselves:
// whoever wrote it would get another result without a word. "" if there is none.
func classOperator(re string) string {
	in := false // a class
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
			if strings.HasPrefix(re[i+1:], "]") { // the first ] stands for itself
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
	re    *regexp.Regexp
	group int
	key   []byte
}

// Setup implements mapreduce.Setupper.
func (m *matcher) Setup(c *mapreduce.Context) (err error) {
	if m.re, m.group, err = compile(c.Conf); err != nil {
		return err
	}
	return m.texts.Setup(c)
}

var one = []byte{0, 0, 0, 0, 0, 0, 0, 1}

func (m *matcher) Map(_ *mapreduce.Context, _, value []byte, out mapreduce.Emitter) error {
	line := m.of(value)
	if !m.re.Match(line) { // much cheaper than the search for groups
		return nil
	}
	for _, at := range m.re.FindAllSubmatchIndex(line, -1) {
		from, to := at[2*m.group], at[2*m.group+1]
		if from < 0 {
			continue
		}
		m.key = text.Append(m.key[:0], line[from:to])
		if err := out.Emit(m.key, one); err != nil {
			return err
		}
	}
	return nil
}
