package library

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// splitter cuts text as Java's String.split does: the separator is a regular expression, empty fields at the end do not count.
type splitter struct {
	literal []byte         // the separator, if it is nothing but characters
	re      *regexp.Regexp // otherwise
	fields  [][]byte       // of the last text
}

func newSplitter(sep string) (splitter, error) {
	if !strings.ContainsAny(sep, `\.[]{}()*+-?^$|`) {
		return splitter{literal: []byte(sep)}, nil
	}
	re, err := regexp.Compile(sep)
	if err != nil {
		return splitter{}, fmt.Errorf("it is a regular expression: %w", err)
	}
	return splitter{re: re}, nil
}

// cut sets fields, which are parts of s.
func (p *splitter) cut(s []byte) {
	p.fields = p.fields[:0]
	if p.re != nil {
		p.cutByExpression(s)
	} else {
		for rest := s; ; {
			n := bytes.Index(rest, p.literal)
			if n < 0 {
				p.fields = append(p.fields, rest)
				break
			}
			p.fields = append(p.fields, rest[:n])
			rest = rest[n+len(p.literal):]
		}
	}
	if len(p.fields) == 1 {
		return // nothing was cut: an empty text is a field
	}
	for n := len(p.fields); n > 0 && len(p.fields[n-1]) == 0; n-- {
		p.fields = p.fields[:n-1]
	}
}

func (p *splitter) cutByExpression(s []byte) {
	start := 0
	for _, at := range p.re.FindAllIndex(s, -1) {
		if at[1] == 0 || at[0] == at[1] && at[0] == len(s) {
			continue // an empty match at the beginning makes no field
		}
		p.fields = append(p.fields, s[start:at[0]])
		start = at[1]
	}
	p.fields = append(p.fields, s[start:])
}

// lastRune gives the length of the last character, in bytes.
func lastRune(s string) int {
	_, n := utf8.DecodeLastRuneInString(s)
	return n
}
