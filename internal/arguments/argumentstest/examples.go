// Package argumentstest tests help texts.
package argumentstest

import (
	"strings"
	"testing"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/internal/arguments"
)

// Examples checks that the examples in the descriptions of an app's commands parse and would run
// these commands. An example is a line that starts with "howdah" and the command's name. Each
// command in want, such as "sim run", must have an example.
func Examples(t *testing.T, app func() *urfave.App, want ...string) {
	t.Helper()
	found := map[string]bool{}
	var walk func(cmds []*urfave.Command, parents string)
	walk = func(cmds []*urfave.Command, parents string) {
		for _, c := range cmds {
			name := strings.TrimSpace(parents + " " + c.Name)
			for line := range strings.Lines(c.Description) {
				if strings.HasPrefix(line, "howdah "+name+" ") {
					found[name] = true
					line, _, _ = strings.Cut(line, ">") // the rest is for the shell
					ran, err := parse(app(), strings.Fields(line)[1:])
					if err != nil || !strings.HasPrefix(ran, name) {
						t.Errorf("%s: ran %q: %v", strings.TrimSpace(line), ran, err)
					}
				}
			}
			walk(c.Subcommands, name)
		}
	}
	walk(app().Commands, "")
	for _, name := range want {
		if !found[name] {
			t.Errorf("the help text of %s has no example", name)
		}
	}
}

// parse parses arguments and returns the name of the command that would run.
func parse(app *urfave.App, args []string) (ran string, err error) {
	var replace func(cmds []*urfave.Command, parents string)
	replace = func(cmds []*urfave.Command, parents string) {
		for _, c := range cmds {
			name := strings.TrimSpace(parents + " " + c.Name)
			c.Action = func(*urfave.Context) error {
				ran = name
				return nil
			}
			replace(c.Subcommands, name)
		}
	}
	replace(app.Commands, "")
	if args, err = (&arguments.Arranger{}).Arrange(app.Commands, args); err != nil {
		return "", err
	}
	err = app.Run(append([]string{app.Name}, args...))
	return ran, err
}
