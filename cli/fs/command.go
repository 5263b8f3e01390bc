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
	attached   string   // an option whose value is part of its word: "p" for -ptopax
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
		case c.attached != "" && strings.HasPrefix(name, c.attached):
			o[c.attached] = name[len(c.attached):]
		case slices.Contains(c.values, name):
			o[name] = ""
			if len(args) > c.min { // what is left over is the value, even where it does not look like one
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
