package command

import (
	"errors"
	"strings"
)

// split takes a line apart as a shell does: blanks separate words; in '...' all is taken as it is; in "..." and outside a backslash
// takes the next character as it is. No variable and no pattern is looked at.
func split(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	begun := false
	quote := rune(0)
	escaped := false
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, begun = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, begun = r, true
		case strings.ContainsRune(" \t\r\n", r):
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if quote != 0 || escaped {
		return nil, errors.New("a quotation mark or a backslash at its end has no match")
	}
	if begun {
		words = append(words, word.String())
	}
	return words, nil
}

// quote writes words so that a shell takes them apart again as they are.
func quote(words []string) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		if w != "" && strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,@%+") == "" {
			b.WriteString(w)
			continue
		}
		b.WriteString("'" + strings.ReplaceAll(w, "'", `'\''`) + "'")
	}
	return b.String()
}
