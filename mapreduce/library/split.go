package library

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// splitter splits text like Java's String.split. The separator is a regular expression, and
// trailing empty fields are dropped.
type splitter struct {
	literal []byte         // the separator if it is plain text, otherwise nil
	re      *regexp.Regexp // the separator if literal is nil
	fields  [][]byte       // fields from the last call to cut
}

func newSplitter(sep string) (splitter, error) {
	if !strings.ContainsAny(sep, `\.[]{}()*+-?^$|`) {
		return splitter{literal: []byte(sep)}, nil
	}
	re, err := regexp.Compile(sep)
	if err != nil {
		return splitter{}, fmt.Errorf("invalid regular expression: %w", err)
	}
	return splitter{re: re}, nil
}

// cut splits s into fields, which share memory with s.
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
		return // there is no separator, so s is the only field, even if it is empty
	}
	for n := len(p.fields); n > 0 && len(p.fields[n-1]) == 0; n-- {
		p.fields = p.fields[:n-1]
	}
}

func (p *splitter) cutByExpression(s []byte) {
	start := 0
	for _, at := range p.re.FindAllIndex(s, -1) {
		if at[1] == 0 || at[0] == at[1] && at[0] == len(s) {
			continue // an empty match at the start or end does not end a field
		}
		p.fields = append(p.fields, s[start:at[0]])
		start = at[1]
	}
	p.fields = append(p.fields, s[start:])
}

// lastRune returns the length of the last character of s, in bytes.
func lastRune(s string) int {
	_, n := utf8.DecodeLastRuneInString(s)
	return n
}
