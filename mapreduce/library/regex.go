package library

import (
	"fmt"
	"regexp"
	"strconv"

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
