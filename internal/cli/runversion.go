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

// ownVersion returns the path of the MR-cluster's own howdah if it is on this machine and differs
// from this one. Otherwise it returns "". A job's tasks run the client's program, so the client must
// be the same version as the MR-cluster.
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
		fmt.Fprintf(s.err, "howdah: MR-cluster %s: its program %s is not on this machine; tasks run this "+
			"program instead\n",
			conf.MRClusterName.Get(c), x.Binary)
		return "", nil
	case err != nil || other.ID == self.ID:
		return "", err
	}
	return x.Binary, nil
}

// runBy runs a different howdah program as the client of an MR-cluster, with the same generic
// options, and waits for it.
func (s *session) runBy(ctx context.Context, x *mrclient.InUse, binary string, words, args []string) error {
	words = append(words, s.generic.Args()...)
	for _, p := range x.Settings {
		words = append(words, "-D", p.Name+"="+p.Value)
	}
	words = append(append(words, "-D", conf.MRClusterName.Name+"="), args...)
	cmd := exec.CommandContext(ctx, binary, words...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, s.out, s.err
	// This process forwards Ctrl-C only once. The other client reacts to the first signal itself,
	// and a second signal would end it immediately.
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
