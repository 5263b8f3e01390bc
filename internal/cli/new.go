package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/internal/cli/newjob"
	"github.com/howdah/howdah/internal/version"
	"github.com/howdah/howdah/job/failure"
)

func (s *session) newCommand() *urfave.Command {
	return &urfave.Command{
		Name: "new", Usage: "create a Go module with a job, its unit tests, and a Makefile", ArgsUsage: "DIRECTORY",
		HideHelpCommand: true,
		Description: `The last element of DIRECTORY is the job's name. Needs the go command, which downloads what the
module needs. Example: howdah new wordstats && cd wordstats && make test`,
		Flags: []urfave.Flag{
			&urfave.StringFlag{Name: "howdah", Usage: "`VERSION|CHECKOUT` of howdah that the module uses " +
				"(default: the checkout that contains this program, or this program's version)"},
		},
		Action: taking(1, s.newJob),
	}
}

func (s *session) newJob(c *urfave.Context) error {
	dir, err := filepath.Abs(c.Args().First())
	if err != nil {
		return failure.New(failure.KindOf(err), "create job", dir, err)
	}
	self, err := os.Executable()
	if err != nil {
		return failure.New(failure.IO, "find this program", "", err)
	}
	from, err := newjob.Choose(c.String("howdah"), self, version.Howdah())
	if err != nil {
		return err
	}
	if err := newjob.Create(dir, from); err != nil {
		return err
	}
	tidy := exec.CommandContext(c.Context, "go", "mod", "tidy")
	tidy.Dir = dir
	if out, err := tidy.CombinedOutput(); err != nil {
		return failure.New(failure.IO, "run go mod tidy in", dir, fmt.Errorf("%w\n%s", err, out)).
			Fix("the files are complete; run go mod tidy there again")
	}
	name := filepath.Base(dir)
	_, err = fmt.Fprintf(s.out, "Created %s. Its job counts words; change main.go and main_test.go.\nNext: cd %s && "+
		"make test && make && ./%s IN... OUT\n", name, c.Args().First(), name)
	return err
}
