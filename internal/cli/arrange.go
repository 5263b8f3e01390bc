package cli

import (
	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/arguments"
)

// ownArguments lists the commands that pass all arguments after the first to an application, a
// program, or the laboratory.
var ownArguments = map[string]bool{"run": true, "streaming": true, "distcp": true, "jar": true, "minicluster": true,
	"sim": true, "experiment": true, "scenario": true}

// arrange returns the arguments in the order that urfave/cli requires. It moves generic options to
// s.generic.
func (s *session) arrange(cmds []*urfave.Command, args []string) ([]string, error) {
	a := arguments.Arranger{Own: ownArguments, Generic: s.generic}
	out, err := a.Arrange(cmds, args)
	s.generic = a.Generic
	return out, err
}

// takeGeneric moves generic options from the front of args to s.generic.
func (s *session) takeGeneric(args []string) ([]string, error) {
	g, rest, err := conf.ParseGeneric(args)
	s.generic = s.generic.And(g)
	return rest, err
}
