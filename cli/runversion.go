package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/program"
	"github.com/howdah/howdah/job/failure"
	mrclient "github.com/howdah/howdah/mrcluster/client"
)

// ownVersion gives the path of the MR-cluster's own howdah if it has one and it is another one than this, "" if not. A job's tasks run the
// program of its client, so that a version is the MR-cluster's own only if the client is of that version too.
func (s *session) ownVersion(x *mrclient.InUse, c *conf.Config) (string, error) {
	if x.Binary == "" {
		return "", nil
	}
	self, err := program.Self()
	if err != nil {
		return "", err
	}
	other, err := program.Of(x.Binary)
	switch {
	case failure.Is(err, failure.NotFound):
		fmt.Fprintf(s.err, "MR-cluster %s: its howdah, %s, is not on this machine: tasks run the one that is\n", c.Get(mrclient.KeyName), x.Binary)
		return "", nil
	case err != nil || other.ID == self.ID:
		return "", err
	}
	return x.Binary, nil
}

// runBy lets another howdah be the client of an MR-cluster, with the same generic options, and waits for it.
func (s *session) runBy(ctx context.Context, x *mrclient.InUse, binary string, words, args []string) error {
	words = append(words, s.genericArgs()...)
	for _, p := range x.Settings {
		words = append(words, "-D", p.Name+"="+p.Value)
	}
	words = append(append(words, "-D", mrclient.KeyName+"="), args...)
	cmd := exec.CommandContext(ctx, binary, words...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, s.out, s.err
	// It hears of Ctrl-C from here and once: it knows what that means to its job, and a second one would end it at once.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		return silent{exit.ExitCode()}
	}
	return failure.New(failure.KindOf(err), "run", binary, err)
}
