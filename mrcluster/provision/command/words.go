package command

import (
	"errors"
	"strings"
)

// split splits a line into words, much as a shell does. Blanks separate words. Text in '...' is
// literal. In "..." and outside quotes, a backslash makes the next character literal. split does
// not expand variables or patterns.
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
		return nil, errors.New("a quotation mark has no match, or a backslash is at the end")
	}
	if begun {
		words = append(words, word.String())
	}
	return words, nil
}
