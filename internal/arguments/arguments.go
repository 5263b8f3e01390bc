// Package arguments accepts command lines in Hadoop's style. "-list" means the sub-command "list",
// and generic options and a command's own options may precede or follow the command's other
// arguments. For a command that starts an application or program, they must precede the first
// argument.
package arguments

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/suggest"
	"github.com/howdah/howdah/job/failure"
)

// CompletionFlag is the last argument of a command line that a shell wants to complete. It makes
// the program print the words that can follow.
const CompletionFlag = "--generate-bash-completion"

// AsksForHelp reports whether word, the first argument of a command, asks for the command's help
// text.
func AsksForHelp(word string) bool {
	return slices.Contains([]string{"--help", "-help", "-h", "help"}, word)
}

// Hint returns a line that suggests one of there for the unknown name, or "" if none is similar.
// help is the command that lists all names.
func Hint(name string, there []string, help string) string {
	if near := suggest.Nearest(name, there); near != "" {
		return fmt.Sprintf("Did you mean %s? %s lists all commands.\n", near, help)
	}
	return ""
}

// JSONFlag returns the option --json. Arrange rejects the option for a command that lacks it.
func JSONFlag() urfave.Flag { return &urfave.BoolFlag{Name: "json", Usage: "print JSON for scripts"} }

// An Arranger reorders arguments into the order that urfave/cli requires.
type Arranger struct {
	// Own lists the commands that pass all arguments after the first to an application or program.
	Own map[string]bool
	// Generic collects the generic options that Arrange removes from the arguments.
	Generic conf.GenericOptions
}

// Arrange removes generic options, replaces a sub-command in Hadoop's spelling ("-list") with its
// name ("list"), and moves a command's own options in front of its other arguments. It rejects an
// unknown option or sub-command with an error of kind Usage.
func (a *Arranger) Arrange(cmds []*urfave.Command, args []string) ([]string, error) {
	args, err := a.takeGeneric(args)
	if err != nil || len(args) == 0 {
		return args, err
	}
	cmd := Find(cmds, args[0])
	if cmd == nil {
		return args, nil
	}
	out, rest := args[:1:1], args[1:]
	flags, rest, err := a.takeOptions(cmd, nil, rest, false)
	if err != nil {
		return nil, err
	}
	if len(cmd.Subcommands) == 0 {
		more, rest, err := a.takeOptions(cmd, nil, rest, !cmd.SkipFlagParsing && !a.Own[cmd.Name])
		return append(append(out, words(append(flags, more...))...), rest...), err
	}
	if len(rest) == 0 && len(flags) > 0 {
		return nil, failure.New(failure.Usage, "read option", flags[0][0], errors.New(fullName(cmd, nil)+" needs a command")).
			Fix(fullName(cmd, nil) + " --help lists all commands")
	}
	if len(rest) == 0 {
		return out, nil
	}
	sub := subcommand(cmd, rest[0])
	if sub == nil {
		if AsksForHelp(rest[0]) || rest[0] == "h" {
			return append(out, "--help"), nil
		}
		return nil, Unknown("command", cmd.Name+" "+rest[0], Names(cmd.Subcommands, "-"), "howdah "+cmd.Name+" --help")
	}
	for _, o := range flags {
		if flagOf(sub, o[0], false) == nil {
			return nil, unknownOption(sub, cmd, o[0])
		}
	}
	more, rest, err := a.takeOptions(sub, cmd, rest[1:], true)
	out = append(append(out, sub.Name), words(append(flags, more...))...)
	return append(out, rest...), err
}

// subcommand returns the sub-command that word names, with or without dashes, or nil.
func subcommand(cmd *urfave.Command, word string) *urfave.Command {
	return Find(cmd.Subcommands, strings.TrimPrefix(strings.TrimPrefix(word, "-"), "-"))
}

// takeGeneric moves generic options from the front of args to a.Generic.
func (a *Arranger) takeGeneric(args []string) ([]string, error) {
	g, rest, err := conf.ParseGeneric(args)
	if err != nil {
		return nil, err
	}
	a.Generic = a.Generic.And(g)
	return rest, nil
}

// takeOptions collects options of cmd or, if cmd has sub-commands, options of these, and removes
// generic options. It stops at "--" and, unless all is set, at the first argument that is not an
// option. It rejects an unknown option, unless cmd parses its own options or has sub-commands,
// which the option may name ("-list").
func (a *Arranger) takeOptions(cmd, parent *urfave.Command, args []string, all bool) (
	flags []option, rest []string, err error) {
	for len(args) > 0 {
		if args, err = a.takeGeneric(args); err != nil || len(args) == 0 {
			break
		}
		arg := args[0]
		if arg == "--" {
			break
		}
		f := flagOf(cmd, arg, true)
		switch {
		case f != nil && (isBool(f) || strings.Contains(arg, "=")):
			flags, args = append(flags, option{arg}), args[1:]
		case f != nil && len(args) == 1:
			return nil, nil, failure.New(failure.Usage, "read option", arg, errors.New("its value is missing")).
				Fix(fullName(cmd, parent) + " --help explains the option")
		case f != nil:
			flags, args = append(flags, option(args[:2])), args[2:]
		case len(arg) > 1 && arg[0] == '-' && len(cmd.Subcommands) == 0 && !cmd.SkipFlagParsing && arg != "--help" &&
			arg != "-h" && arg != "-help":
			return nil, nil, unknownOption(cmd, parent, arg)
		case all:
			rest, args = append(rest, arg), args[1:]
		default:
			return flags, args, nil
		}
	}
	return flags, append(rest, args...), err
}

// fullName returns the full name of a command, such as "howdah mrcluster agent".
func fullName(cmd, parent *urfave.Command) string {
	if parent != nil {
		return fullName(parent, nil) + " " + cmd.Name
	}
	return "howdah " + cmd.Name
}

// TellUsageErrors makes commands return an error for invalid options instead of printing a help
// page. The error message uses the given program name.
func TellUsageErrors(program string, cmds []*urfave.Command) {
	for _, c := range cmds {
		name := program + " " + c.Name
		c.OnUsageError = func(_ *urfave.Context, err error, _ bool) error {
			return failure.New(failure.Usage, "usage", "", fmt.Errorf("%s: %w", name, err))
		}
		TellUsageErrors(name, c.Subcommands)
	}
}

func unknownOption(cmd, parent *urfave.Command, arg string) error {
	name := fullName(cmd, parent)
	e := failure.New(failure.Usage, "read option", arg, errors.New(name+" has no such option"))
	help := name + " --help lists all options"
	option, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	var there []string
	for _, f := range cmd.Flags {
		there = append(there, f.Names()...)
	}
	switch near := suggest.Nearest(option, there); len(near) {
	case 0:
		return e.Fix(help)
	case 1:
		return e.Fix("did you mean -" + near + "? (" + help + ")")
	default:
		return e.Fix("did you mean --" + near + "? (" + help + ")")
	}
}

// Find returns the command with the given name or alias, or nil.
func Find(cmds []*urfave.Command, name string) *urfave.Command {
	for _, c := range cmds {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}

// Names returns the names of commands, each preceded by prefix.
func Names(cmds []*urfave.Command, prefix string) []string {
	var out []string
	for _, c := range cmds {
		out = append(out, prefix+c.Name)
	}
	return out
}

// flagOf returns the option of cmd that arg names, or nil if there is none. With below, it also
// returns an option of a sub-command, unless arg names a sub-command.
func flagOf(cmd *urfave.Command, arg string, below bool) urfave.Flag {
	if len(arg) < 2 || arg[0] != '-' {
		return nil
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
	for _, f := range cmd.Flags {
		if slices.Contains(f.Names(), name) {
			return f
		}
	}
	if below && subcommand(cmd, arg) == nil {
		for _, sub := range cmd.Subcommands {
			if f := flagOf(sub, arg, false); f != nil {
				return f
			}
		}
	}
	return nil
}

func isBool(f urfave.Flag) bool {
	_, ok := f.(*urfave.BoolFlag)
	return ok
}

// option is an option as the user wrote it, with its value if the value is a separate argument.
type option []string

// words returns options as arguments.
func words(options []option) (out []string) {
	for _, o := range options {
		out = append(out, o...)
	}
	return out
}

// Unknown returns an error about an unknown name of the given kind (what). If there, the list of
// valid names, contains a similar name, the error suggests it. help is the command that lists all
// names.
func Unknown(what, name string, there []string, help string) error {
	e := failure.New(failure.Usage, "find "+what, name, errors.New("unknown "+what))
	words := strings.Fields(name)
	if near := suggest.Nearest(words[len(words)-1], there); near != "" {
		return e.Fix("did you mean " + near + "? (" + help + " lists all)")
	}
	return e.Fix(help + " lists all")
}
