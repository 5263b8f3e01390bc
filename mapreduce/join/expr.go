package join

import (
	"errors"
	"fmt"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce"
)

// maxInputs is the maximum number of inputs to an operation. A Tuple has one bit per input, in an
// int64, that indicates whether the input's value is present.
const maxInputs = 63

// maxDepth is the maximum nesting depth of expressions.
const maxDepth = 16

// parse parses the join expression in c.
func parse(c *conf.Config) (node, error) {
	text := conf.JoinExpr.Get(c)
	if text == "" {
		return nil, c.Refuse(conf.JoinExpr.Name, errors.New("Expression is null")).Fix("set it to the join expression")
	}
	p := parser{c: c, rest: text}
	n, err := p.node(0)
	if err == nil && strings.TrimSpace(p.rest) != "" {
		err = p.expected("the end")
	}
	if err != nil {
		return nil, c.Refuse(conf.JoinExpr.Name, err).Fix(`write op(tbl(CLASS,"PATH"),...) with op inner, outer or override`)
	}
	return n, nil
}

type parser struct {
	c    *conf.Config
	rest string
}

func (p *parser) expected(what string) error {
	return fmt.Errorf("want %s at %.40q", what, p.rest)
}

func (p *parser) skip() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

// take skips white space and consumes ch if ch comes next. It reports whether it consumed ch.
func (p *parser) take(ch string) bool {
	p.skip()
	rest, ok := strings.CutPrefix(p.rest, ch)
	p.rest = rest
	return ok
}

// word consumes and returns the name of an operation or a class.
func (p *parser) word() string {
	p.skip()
	n := strings.IndexAny(p.rest, "(),\" \t\r\n")
	if n < 0 {
		n = len(p.rest)
	}
	w := p.rest[:n]
	p.rest = p.rest[n:]
	return w
}

func (p *parser) node(depth int) (node, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested more than %d levels deep", maxDepth)
	}
	name := p.word()
	if !p.take("(") {
		return nil, p.expected(`"("`)
	}
	if name == "tbl" {
		return p.table()
	}
	j := &joined{}
	switch name {
	case "inner":
		j.op = inner
	case "outer":
		j.op = outer
	case "override":
		j.op = override
	default:
		return nil, fmt.Errorf("unknown operation %q: want inner, outer, override or tbl", name)
	}
	for {
		kid, err := p.node(depth + 1)
		if err != nil {
			return nil, err
		}
		if j.kids = append(j.kids, kid); len(j.kids) > maxInputs {
			return nil, fmt.Errorf("more than %d inputs in one operation", maxInputs)
		}
		if p.take(")") {
			return j, nil
		}
		if !p.take(",") {
			return nil, p.expected(`"," or ")"`)
		}
	}
}

// table parses the arguments of tbl and the closing parenthesis, which have the form CLASS,"PATH").
func (p *parser) table() (node, error) {
	class := p.word()
	format, err := mapreduce.InputByClass(p.c, conf.JoinExpr.Name, class)
	if err != nil || class == "" {
		return nil, fmt.Errorf("unknown input format %q", class)
	}
	if !p.take(",") || !p.take(`"`) {
		return nil, p.expected(`,"PATH"`)
	}
	path, rest, ok := strings.Cut(p.rest, `"`)
	if !ok || path == "" {
		return nil, p.expected(`a path and "`)
	}
	if p.rest = rest; !p.take(")") {
		return nil, p.expected(`")"`)
	}
	return &table{format: format, path: path}, nil
}
