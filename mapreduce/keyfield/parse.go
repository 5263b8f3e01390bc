package keyfield

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

func (f *Fields) parse(options string) error {
	var all span // -n and -r for all ranges that have no flags
	words := strings.Fields(options)
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case word == "-n":
			all.numeric = true
		case word == "-r":
			all.reverse = true
		case word == "-nr":
			all.numeric, all.reverse = true, true
		case strings.HasPrefix(word, "-k"):
			text := word[2:]
			if text == "" && i+1 < len(words) {
				i++
				text = words[i]
			}
			if text == "" {
				continue
			}
			s, err := parseSpan(text)
			if err != nil {
				return fmt.Errorf("-k %s: %w; it must be of the form -k pos1[,pos2], where pos is of the form f[.c][nr]", text, err)
			}
			f.spans, f.cut = append(f.spans, s), true
		}
	}
	for i := range f.spans {
		if s := &f.spans[i]; !s.numeric && !s.reverse {
			s.numeric, s.reverse = all.numeric, all.reverse
		}
	}
	if len(f.spans) == 0 {
		all.beginField, all.beginChar = 1, 1
		f.spans = []span{all}
	}
	return nil
}

// parseSpan parses text, which has the form FIELD[.CHARACTER][nr][,FIELD[.CHARACTER][nr]].
func parseSpan(text string) (s span, err error) {
	s.beginChar = 1
	begin, end, both := strings.Cut(text, ",")
	if err := s.position(begin, &s.beginField, &s.beginChar); err != nil {
		return s, err
	}
	if both {
		err = s.position(end, &s.endField, &s.endChar)
	}
	return s, err
}

// position parses text, which has the form FIELD[.CHARACTER][nr], stores the numbers in field and
// char, and sets the span's options.
func (s *span) position(text string, field, char *int) (err error) {
	for text != "" && (text[len(text)-1] == 'n' || text[len(text)-1] == 'r') {
		s.numeric = s.numeric || text[len(text)-1] == 'n'
		s.reverse = s.reverse || text[len(text)-1] == 'r'
		text = text[:len(text)-1]
	}
	n, c, dot := strings.Cut(text, ".")
	if *field, err = number(n); err == nil && dot {
		*char, err = number(c)
	}
	return err
}

// number parses a position. Like Hadoop, it also accepts 0.
func number(text string) (int, error) {
	n, err := strconv.ParseInt(text, 10, 31)
	if err != nil || n < 0 {
		return 0, errors.New(strconv.Quote(text) + " is not a position")
	}
	return int(n), nil
}
