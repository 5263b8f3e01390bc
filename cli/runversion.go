package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/internal/program"
	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/job/failure"
)

// ownVersion gives the MR-cluster as it is deployed if its howdah is another one than this, nil if it is not. A job's tasks run the
// program of its client, so that a version is the MR-cluster's own only if the client is of that version too.
func (s *session) ownVersion(ctx context.Context, name string) (x *pool.Cluster, err error) {
	err = s.withPool(ctx, func(ctx context.Context, p pool.PoolClient) (err error) {
		x, err = look(ctx, p, name)
		return err
	})
	if err != nil || x.GetSpec().GetBinary() == "" {
		return nil, err
	}
	self, err := program.Self()
	if err != nil {
		return nil, err
	}
	other, err := program.Of(x.Spec.Binary)
	switch {
	case failure.Is(err, failure.NotFound):
		fmt.Fprintf(s.err, "MR-cluster %s: its howdah, %s, is not on this machine: tasks run the one that is\n", name, x.Spec.Binary)
		return nil, nil
	case err != nil || other.ID == self.ID:
		return nil, err
	}
	return x, nil
}

// runBy lets the MR-cluster's own howdah be the client, and waits for it.
func (s *session) runBy(c *urfave.Context, x *pool.Cluster, app string, args []string) error {
	words := []string{"run"}
	for _, flag := range []string{"q", "json", "kill-on-interrupt"} {
		if c.Bool(flag) {
			words = append(words, "--"+flag)
		}
	}
	words = append(words, s.genericArgs()...)
	for _, p := range pointTo(x) {
		words = append(words, "-D", p.Name+"="+p.Value)
	}
	words = append(append(words, app), args...)
	cmd := exec.CommandContext(c.Context, x.Spec.Binary, words...)
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
	return failure.New(failure.KindOf(err), "run", x.Spec.Binary, err)
}
