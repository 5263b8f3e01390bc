package fs

import (
	"slices"
	"strings"
)

// many is no limit on the number of arguments.
const many = 1 << 30

// command is one entry of the shell.
type command struct {
	names      []string // the first is the proper one
	usage      string   // options and arguments
	help       string
	flags      []string // options without a value, without their first dash
	values     []string // options with a value
	min, max   int      // number of arguments after the options
	deprecated string   // what to use instead
	raw        bool     // the arguments are no options, even with a dash
	loose      bool     // an unknown option is an argument: the mode -w
	run        func(s *shell, o options, args []string) error
}

func (c *command) line(name string) string { return strings.TrimSpace("-" + name + " " + c.usage) }

// options are those that were given; flags have the value "".
type options map[string]string

func (o options) has(name string) bool {
	_, ok := o[name]
	return ok
}

// parse takes options off the front, up to the first argument, "-" or "--".
func (c *command) parse(args []string) (options, []string, error) {
	o := options{}
	for len(args) > 0 && !c.raw {
		a := args[0]
		if a == "-" || !strings.HasPrefix(a, "-") || c.loose && !slices.Contains(c.flags, a[1:]) && a != "--" {
			break
		}
		args = args[1:]
		if a == "--" {
			break
		}
		name := a[1:]
		switch {
		case slices.Contains(c.flags, name):
			o[name] = ""
		case slices.Contains(c.values, name):
			if len(args) == 0 {
				return nil, nil, usagef("option %s requires 1 argument.", a)
			}
			o[name], args = args[0], args[1:]
		default:
			return nil, nil, usagef("Illegal option %s", a)
		}
	}
	switch n := len(args); {
	case n < c.min:
		return nil, nil, usagef("Not enough arguments: expected %d but got %d", c.min, n)
	case n > c.max:
		return nil, nil, usagef("Too many arguments: expected %d but got %d", c.max, n)
	}
	return o, args, nil
}

func find(name string) *command {
	for _, c := range commands() {
		if slices.Contains(c.names, name) {
			return c
		}
	}
	return nil
}

// unknown helps with a word that is no command.
func (s *shell) unknown(word string) {
	s.complain("%s: Unknown command", word)
	best, distance := "", min(3, len(s.name)/2+1) // a short word is soon like any other
	for _, c := range commands() {
		for _, n := range c.names {
			if d := edits(s.name, n); d < distance {
				best, distance = n, d
			}
		}
	}
	if best != "" {
		s.complain("Did you mean -%s?", best)
	}
	s.complain("Usage: hadoop fs [generic options] -help lists the commands")
}

// edits counts the letters to insert, remove or replace between two words.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		left := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := left
			if a[i] != b[j] {
				replace++
			}
			left = row[j+1]
			row[j+1] = min(replace, left+1, row[j]+1)
		}
	}
	return row[len(b)]
}
