//go:build integration

package compose

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const commandTimeout = 15 * time.Minute // one command builds the images

// result is the result of a command.
type result struct {
	out, err string
	code     int
}

// do runs a compose command that must succeed.
func (p *project) do(args ...string) {
	p.t.Helper()
	r := p.try(args...)
	require.Zero(p.t, r.code, "compose %v: %s", args, tail(r.out+r.err, 4000))
	p.containers()
}

func (p *project) try(args ...string) result {
	p.t.Helper()
	return p.start(args...).wait()
}

// running is a command that has not exited.
type running struct {
	t        testing.TB
	cmd      *exec.Cmd
	out, err string // file names
	done     context.CancelFunc
}

// start starts a compose command.
func (p *project) start(args ...string) *running {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), commandTimeout)
	r := &running{t: p.t, cmd: exec.CommandContext(ctx, p.compose[0], append(slices.Clone(p.compose[1:]), args...)...),
		done: cancel}
	r.cmd.Dir, r.cmd.Env = p.dir, p.env
	out, err := os.CreateTemp(p.logs, "out")
	require.NoError(p.t, err)
	defer out.Close()
	errOut, err := os.CreateTemp(p.logs, "err")
	require.NoError(p.t, err)
	defer errOut.Close()
	r.cmd.Stdout, r.cmd.Stderr, r.out, r.err = out, errOut, out.Name(), errOut.Name()
	require.NoError(p.t, r.cmd.Start())
	return r
}

// said returns the command's standard error so far.
func (r *running) said() string {
	b, err := os.ReadFile(r.err)
	require.NoError(r.t, err)
	return string(b)
}

func (r *running) wait() result {
	r.t.Helper()
	_ = r.cmd.Wait() // the exit code reports the failure
	r.done()
	out, err := os.ReadFile(r.out)
	require.NoError(r.t, err)
	return result{string(out), r.said(), r.cmd.ProcessState.ExitCode()}
}

// client runs a command in its own container, with the test's files mounted at /here.
func (p *project) client(args ...string) result {
	p.t.Helper()
	return p.background(args...).wait()
}

// background is like client but does not wait for the command.
func (p *project) background(args ...string) *running {
	p.t.Helper()
	return p.start(append([]string{"run", "--rm", "-T", "-v", p.work() + ":/here:ro", "client", "howdah"}, args...)...)
}

// ok runs a client command that must succeed, and returns its output.
func (p *project) ok(args ...string) string {
	p.t.Helper()
	r := p.client(args...)
	require.Zero(p.t, r.code, "howdah %v: %s", args, tail(r.out+r.err, 4000))
	return r.out
}

// docker runs a docker command that must succeed, and returns its output.
func docker(t testing.TB, args ...string) string {
	t.Helper()
	var errOut bytes.Buffer
	cmd := exec.Command("docker", args...)
	cmd.Stderr = &errOut
	out, err := cmd.Output()
	require.NoError(t, err, "docker %v: %s", args, &errOut)
	return string(out)
}
