package sasl

import (
	"errors"
	"fmt"
	"strings"
)

// maxChallenge is the maximum size of a DIGEST-MD5 message, in bytes. RFC 2831 section 2.1.1
// specifies 2048. This limit leaves room for a long realm.
const maxChallenge = 8192

// directives contains the fields of a challenge by name. Only a realm may occur more than once.
type directives map[string][]string

// parseDirectives parses a list such as key=value, key="quoted value" (RFC 2831 section 7.1).
func parseDirectives(b []byte) (directives, error) {
	if len(b) > maxChallenge {
		return nil, fmt.Errorf("the challenge has %d bytes; the limit is %d", len(b), maxChallenge)
	}
	d, rest := directives{}, string(b)
	for {
		rest = strings.TrimLeft(rest, ", \t\r\n") // list elements may be empty
		if rest == "" {
			return d, nil
		}
		key, after, ok := strings.Cut(rest, "=")
		key = strings.ToLower(strings.TrimSpace(key))
		if !ok || !isToken(key) {
			return nil, fmt.Errorf("no directive at %q", clip(rest))
		}
		if len(d[key]) > 0 && key != "realm" {
			return nil, fmt.Errorf("directive %q occurs twice", key)
		}
		var value string
		var err error
		if value, rest, err = parseValue(strings.TrimLeft(after, " \t\r\n")); err != nil {
			return nil, fmt.Errorf("directive %q: %w", key, err)
		}
		d[key] = append(d[key], value)
	}
}

// parseValue parses the value at the start of s and returns it along with the rest of s.
func parseValue(s string) (value, rest string, err error) {
	if !strings.HasPrefix(s, `"`) {
		end := strings.IndexAny(s, ", \t\r\n")
		if end < 0 {
			end = len(s)
		}
		return s[:end], s[end:], afterValue(s[end:])
	}
	var v strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return v.String(), s[i+1:], afterValue(s[i+1:])
		case '\\':
			if i++; i == len(s) {
				return "", "", errOpenQuote
			}
		}
		v.WriteByte(s[i])
	}
	return "", "", errOpenQuote
}

var errOpenQuote = errors.New("the quote is not closed")

func afterValue(s string) error {
	if s = strings.TrimLeft(s, " \t\r\n"); s != "" && s[0] != ',' {
		return fmt.Errorf("a comma is missing before %q", clip(s))
	}
	return nil
}

// isToken reports whether s is a name of letters, digits, and dashes.
func isToken(s string) bool {
	for _, c := range s {
		if !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-') {
			return false
		}
	}
	return s != ""
}

func clip(s string) string {
	if len(s) > 20 {
		return s[:20]
	}
	return s
}

// first returns the first value of key, or other if there is none.
func (d directives) first(key, other string) string {
	if v := d[key]; len(v) > 0 {
		return v[0]
	}
	return other
}

// list returns the elements of key's value, which is a list such as "auth,auth-int". If the key is
// missing, it returns the elements of other.
func (d directives) list(key, other string) []string {
	var out []string
	for v := range strings.SplitSeq(d.first(key, other), ",") {
		out = append(out, strings.ToLower(strings.TrimSpace(v)))
	}
	return out
}

func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
