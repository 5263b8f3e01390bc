package dfs

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

var errGlob = errors.New("illegal file pattern")

func globError(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errGlob, fmt.Sprintf(format, args...))
}

// braces expands the {a,b} groups of p, including nested ones. It ignores braces in [] or after \.
// It stops after maxAlternatives+1 results.
func braces(p string) ([]string, error) {
	open := indexOutside(p, '{')
	if open < 0 {
		return []string{p}, nil
	}
	alternatives, end, err := group(p, open)
	if err != nil {
		return nil, err
	}
	tails, err := braces(p[end:])
	if err != nil {
		return nil, err
	}
	var out []string
	for _, a := range alternatives {
		inner, err := braces(a)
		if err != nil {
			return nil, err
		}
		for _, i := range inner {
			for _, t := range tails {
				if out = append(out, p[:open]+i+t); len(out) > maxAlternatives {
					return out, nil
				}
			}
		}
	}
	return out, nil
}

// group returns the alternatives of the group that opens at p[open], and the index after its
// closing brace.
func group(p string, open int) (alternatives []string, end int, err error) {
	depth, start := 0, open+1
	for i := open; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '[':
			i = classEnd(p, i) - 1
		case '{':
			depth++
		case ',':
			if depth == 1 {
				alternatives = append(alternatives, p[start:i])
				start = i + 1
			}
		case '}':
			if depth--; depth == 0 {
				return append(alternatives, p[start:i]), i + 1, nil
			}
		}
	}
	return nil, 0, globError("unclosed group at %q", p[open:])
}

// indexOutside returns the index of the first c in p that is neither in a class nor escaped, or -1
// if there is none.
func indexOutside(p string, c byte) int {
	for i := 0; i < len(p); i++ {
		switch {
		case p[i] == '\\':
			i++
		case p[i] == c:
			return i
		case p[i] == '[':
			i = classEnd(p, i) - 1
		}
	}
	return -1
}

// classEnd returns the index after the class that opens at p[open]. If the class is not closed, it
// returns len(p)+1.
func classEnd(p string, open int) int {
	i := open + 1
	if i < len(p) && (p[i] == '^' || p[i] == '!') {
		i++
	}
	for first := i; i < len(p); i++ {
		switch {
		case p[i] == '\\':
			i++
		case p[i] == ']' && i > first:
			return i + 1
		}
	}
	return len(p) + 1
}

// unescape removes the escapes from e, which is one element of a pattern. literal is false if e
// contains wildcards or ends with a single backslash.
func unescape(e string) (name string, literal bool) {
	if strings.ContainsAny(e, "*?[") &&
		(indexOutside(e, '*') >= 0 || indexOutside(e, '?') >= 0 || indexOutside(e, '[') >= 0) {
		return "", false
	}
	if !strings.Contains(e, `\`) {
		return e, true
	}
	var b strings.Builder
	for i := 0; i < len(e); i++ {
		if e[i] == '\\' {
			if i++; i == len(e) {
				return "", false // wellFormed reports the error
			}
		}
		b.WriteByte(e[i])
	}
	return b.String(), true
}

// wellFormed returns an error if e, which is one element of a pattern, is malformed.
func wellFormed(e string) error {
	for i := 0; i < len(e); i++ {
		switch e[i] {
		case '\\':
			if i++; i == len(e) {
				return globError(`nothing after the last \`)
			}
		case '[':
			end := classEnd(e, i)
			if end > len(e) {
				return globError("unclosed class at %q", e[i:])
			}
			if _, err := inClass(e[i:end], 0); err != nil {
				return err
			}
			i = end - 1
		}
	}
	return nil
}

// matchName reports whether e, a well-formed element of a pattern, matches name.
func matchName(e, name string) bool {
	p, n := 0, 0
	star, retry := -1, 0
	for n < len(name) || p < len(e) {
		if p < len(e) && e[p] == '*' {
			star, retry = p, n
			p++
			continue
		}
		if p < len(e) && n < len(name) {
			if np, nn, ok := matchOne(e, name, p, n); ok {
				p, n = np, nn
				continue
			}
		}
		if star < 0 || retry >= len(name) {
			return false
		}
		_, size := utf8.DecodeRuneInString(name[retry:])
		retry += size
		p, n = star+1, retry
	}
	return true
}

// matchOne matches the character at name[n:] against the pattern at e[p:]. It returns the next
// positions in e and name, and reports whether the character matches.
func matchOne(e, name string, p, n int) (int, int, bool) {
	r, size := utf8.DecodeRuneInString(name[n:])
	switch e[p] {
	case '?':
		return p + 1, n + size, true
	case '[':
		end := classEnd(e, p)
		in, _ := inClass(e[p:end], r)
		return end, n + size, in
	case '\\':
		p++
	}
	c, width := utf8.DecodeRuneInString(e[p:])
	return p + width, n + size, c == r && (c != utf8.RuneError || e[p:p+width] == name[n:n+size])
}

// inClass reports whether the class "[…]" contains r.
func inClass(class string, r rune) (bool, error) {
	body := class[1 : len(class)-1]
	negated := strings.HasPrefix(body, "^") || strings.HasPrefix(body, "!")
	if negated {
		body = body[1:]
	}
	in := false
	for body != "" {
		lo, rest := classRune(body)
		hi := lo
		if strings.HasPrefix(rest, "-") && len(rest) > 1 {
			hi, rest = classRune(rest[1:])
		}
		if hi < lo {
			return false, globError("range out of order in %q", class)
		}
		in = in || lo <= r && r <= hi
		body = rest
	}
	return in != negated, nil
}

func classRune(s string) (rune, string) {
	if s[0] == '\\' && len(s) > 1 {
		s = s[1:]
	}
	r, size := utf8.DecodeRuneInString(s)
	return r, s[size:]
}
