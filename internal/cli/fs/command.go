package fs

import (
	"slices"
	"strings"
)

// many means an unlimited number of arguments.
const many = 1 << 30

// command is a command of the shell.
type command struct {
	names      []string // names of the command; the first is the primary one
	usage      string   // options and arguments
	help       string
	flags      []string // options without a value, without the leading dash
	values     []string // options with a value
	min, max   int      // minimum and maximum number of arguments after the options
	attached   string   // an option with its value attached: "p" for -ptopax
	deprecated string   // the command that replaces it; "" = not deprecated
	raw        bool     // arguments are never options, even with a leading dash
	loose      bool     // an unknown option is an argument, such as the mode -w
	run        func(s *shell, o options, args []string) error
}

func (c *command) line(name string) string { return strings.TrimSpace("-" + name + " " + c.usage) }

// options holds the options of a command line with their values. Options without a value have the
// value "".
type options map[string]string

func (o options) has(name string) bool {
	_, ok := o[name]
	return ok
}

// parse returns the options at the front of args and the arguments that follow them. The options
// end before "-" or a word without a dash, and after "--".
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
		case c.attached != "" && strings.HasPrefix(name, c.attached):
			o[c.attached] = name[len(c.attached):]
		case slices.Contains(c.values, name):
			o[name] = ""
			if len(args) > c.min { // the next word is the value, even if it looks like an option
				o[name], args = args[0], args[1:]
			}
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
