package serve

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// Arguments parses the arguments of a program that starts a daemon: the command, such as mrcluster
// manager, with generic options before and after it, and then flags. Errors name the daemon and show
// usage.
func Arguments(args []string, daemon, command, usage string, flags *flag.FlagSet) (conf.GenericOptions, error) {
	bad := func(err error) error {
		return failure.New(failure.Usage, "start "+daemon, "", err).Fix(filepath.Base(os.Args[0]) + " " + usage)
	}
	before, rest, err := conf.ParseGeneric(args)
	if err != nil {
		return before, err
	}
	words := strings.Fields(command)
	if len(rest) < len(words) || !slices.Equal(rest[:len(words)], words) {
		return before, bad(errors.New("want the command " + command))
	}
	after, rest, err := conf.ParseGeneric(rest[len(words):])
	if err != nil {
		return before, err
	}
	flags.SetOutput(io.Discard)
	if err := flags.Parse(rest); err != nil {
		return before, bad(err)
	}
	if flags.NArg() > 0 {
		return before, bad(fmt.Errorf("unexpected argument %q", flags.Arg(0)))
	}
	return before.And(after), nil
}
