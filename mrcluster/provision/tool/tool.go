// Package tool runs the external programs that back ends use, such as docker and ip. Start with
// Tool.
package tool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// A Tool describes how to run an external program.
type Tool struct {
	Timeout time.Duration
	Missing string    // remedy for a program that does not exist
	Slow    string    // remedy for a program that has not ended after Timeout
	Stdin   io.Reader // input of the program; nil means none
}

// maxOutput limits the output of a program, in bytes.
const maxOutput = 4 << 20

// Run runs the program words[0] with the other words as arguments and env added to the environment,
// and returns its standard output. On a timeout, it kills the program's process group. op and on
// describe the operation and its object in errors.
func (t Tool) Run(ctx context.Context, op, on string, words, env []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Env = append(os.Environ(), env...)
	out, told := &limited{}, &limited{}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = t.Stdin, out, told
	// On a timeout, kill the whole process group. Otherwise, a shell's children would keep running.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	// A background process of the program might keep its output open. Do not wait for it.
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	switch {
	case errors.Is(err, exec.ErrWaitDelay), err == nil && !out.over:
		return out.b.String(), nil
	case ctx.Err() != nil:
		return "", failure.New(failure.KindOf(ctx.Err()), op, on, fmt.Errorf("%s is still running after %v%s", words[0],
			t.Timeout, told.tail())).Fix(t.Slow)
	case err == nil:
		return "", failure.New(failure.Limit, op, on, fmt.Errorf("%s printed more than %d bytes", words[0], maxOutput))
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, os.ErrNotExist):
		return "", failure.New(failure.NotFound, op, on, err).Fix(t.Missing)
	}
	return "", failure.New(failure.Failed, op, on, fmt.Errorf("%s: %w%s", words[0], err, told.tail()))
}

// A limited writer keeps the first maxOutput bytes of its input and drops the rest.
type limited struct {
	b    bytes.Buffer // not embedded, because Buffer.ReadFrom has no limit
	over bool
}

func (l *limited) Write(p []byte) (int, error) {
	keep := min(len(p), maxOutput-l.b.Len())
	l.over = l.over || keep < len(p)
	_, _ = l.b.Write(p[:keep])
	return len(p), nil
}

// tail returns the end of the output for an error message.
func (l *limited) tail() string {
	s := strings.TrimSpace(l.b.String())
	if s == "" {
		return ""
	}
	return ": " + s[max(0, len(s)-1000):]
}
