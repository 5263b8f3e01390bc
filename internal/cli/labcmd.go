package cli

import (
	"fmt"
	"os"
	"syscall"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/internal/program"
	"github.com/howdah/howdah/job/failure"
)

// laboratory contains the names of the laboratory's commands.
var laboratory = []string{"sim", "experiment", "scenario", "serve"}

// labCommands returns the commands of the laboratory, which is a separate program in the same
// directory.
func (s *session) labCommands() []*urfave.Command {
	command := func(name, usage string) *urfave.Command {
		return &urfave.Command{
			Name: name, Usage: usage, SkipFlagParsing: true, HideHelpCommand: true,
			Action: func(c *urfave.Context) error { return s.startLab(name, c.Args().Slice()) },
		}
	}
	return []*urfave.Command{
		command("sim", "import, generate and simulate workloads (howdah sim --help)"),
		command("experiment", "reproduce figures and tables of the papers (howdah experiment --help)"),
		command("scenario", "run a workload on a described cluster, simulated or real (howdah scenario --help)"),
		command("serve", "show results and try schedulers in a browser on this host (howdah serve --help)"),
	}
}

// startLab replaces this process with howdah-lab.
func (s *session) startLab(name string, args []string) error {
	file, err := program.Beside("howdah-lab",
		fmt.Sprintf("howdah %s needs howdah-lab in the same directory as howdah; run make build", name))
	if err != nil {
		return err
	}
	argv := append(append([]string{file}, s.generic.Args()...), name)
	err = syscall.Exec(file, append(argv, args...), os.Environ())
	return failure.New(failure.KindOf(err), "start", file, err)
}
