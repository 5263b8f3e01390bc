package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// maxOutput limits what a command may print.
const maxOutput = 4 << 20

// run runs a command to its end, or until time is up, and gives what it printed.
func (b *Backend) run(ctx context.Context, op, on string, words, env []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, b.cfg.Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Env = append(os.Environ(), env...)
	out, told := &limited{}, &limited{}
	cmd.Stdout, cmd.Stderr = out, told
	// The whole group goes when time is up: a shell's child would go on.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	// What the command has left running may hold its output open. Nobody waits for that.
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	switch {
	case errors.Is(err, exec.ErrWaitDelay), err == nil && !out.over:
		return out.b.String(), nil
	case ctx.Err() != nil:
		return "", failure.New(failure.KindOf(ctx.Err()), op, on, fmt.Errorf("%s has not ended after %v%s", words[0], b.cfg.Timeout, told.tail())).
			Fix("see why, or raise howdah.mrcluster.command.timeout.ms")
	case err == nil:
		return "", failure.New(failure.Limit, op, on, fmt.Errorf("%s printed more than %d bytes", words[0], maxOutput))
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, os.ErrNotExist):
		return "", failure.New(failure.NotFound, op, on, err)
	}
	return "", failure.New(failure.Failed, op, on, fmt.Errorf("%s: %w%s", words[0], err, told.tail()))
}

// limited keeps the beginning of what is written.
type limited struct {
	b    bytes.Buffer // not embedded: its ReadFrom knows no limit
	over bool
}

func (l *limited) Write(p []byte) (int, error) {
	keep := min(len(p), maxOutput-l.b.Len())
	l.over = l.over || keep < len(p)
	_, _ = l.b.Write(p[:keep])
	return len(p), nil
}

// tail gives the end for an error message.
func (l *limited) tail() string {
	s := strings.TrimSpace(l.b.String())
	if s == "" {
		return ""
	}
	return ": " + s[max(0, len(s)-500):]
}
