// Package daemonrun runs howdah's daemons as separate processes and waits until they are ready.
// Experiments, benchmarks, and tests use it.
package daemonrun

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// Command configures a daemon. The daemon runs in the environment that Environ returns.
type Command struct {
	Program string    // path of howdah
	Args    []string  // arguments after the daemon's name
	Log     io.Writer // receives the daemon's log; nil discards it
	// OwnGroup keeps the terminal's Ctrl-C from reaching the daemon. The parent process can then
	// handle the signal and stop the daemon later.
	OwnGroup bool
}

// Process is a running daemon. It is safe for concurrent use.
type Process struct {
	cmd  *exec.Cmd
	done chan struct{}
}

// startTimeout is how long start waits for a daemon to be ready. It is long enough for a busy
// machine.
const startTimeout = 90 * time.Second

// Environ returns this process's environment without the variables that configure a local Hadoop or
// howdah installation.
func Environ() []string {
	var out []string
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "HADOOP_") && !strings.HasPrefix(e, "HOWDAH_") {
			out = append(out, e)
		}
	}
	return out
}

// start runs a howdah command as a daemon and waits for the line that announces that it is ready.
// It returns the line's submatches. If the line does not appear within startTimeout, or ctx is done
// first, start stops the daemon and returns an error.
func start(ctx context.Context, daemon []string, line *regexp.Regexp, c Command) (*Process, []string, error) {
	bad := func(err error) error {
		return failure.New(failure.KindOf(err), "start", "howdah "+strings.Join(daemon, " "), err)
	}
	p := &Process{cmd: exec.Command(c.Program, append(daemon, c.Args...)...), done: make(chan struct{})}
	p.cmd.Env, p.cmd.Stderr, p.cmd.SysProcAttr = Environ(), c.Log, &syscall.SysProcAttr{Setpgid: c.OwnGroup}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, nil, bad(err)
	}
	if err := p.cmd.Start(); err != nil {
		return nil, nil, bad(err)
	}
	ready := make(chan []string, 1)
	go p.follow(out, line, ready)
	select {
	case said := <-ready:
		return p, said, nil
	case <-p.done:
		return nil, nil, bad(errors.New("it ended"))
	case <-time.After(startTimeout):
		err = fmt.Errorf("it is not ready after %v", startTimeout)
	case <-ctx.Done():
		err = ctx.Err()
	}
	p.Stop(startTimeout)
	return nil, nil, bad(err)
}

// Start starts a command that runs a daemon. The caller must determine when the daemon is ready.
func Start(cmd *exec.Cmd) (*Process, error) {
	if err := cmd.Start(); err != nil {
		return nil, failure.New(failure.KindOf(err), "start", cmd.String(), err)
	}
	p := &Process{cmd: cmd, done: make(chan struct{})}
	go p.wait()
	return p, nil
}

// follow reads the daemon's output to its end, and then waits until the daemon has exited. It sends
// the submatches of the first output line that matches line to ready.
func (p *Process) follow(out io.Reader, line *regexp.Regexp, ready chan<- []string) {
	told := false
	for s := bufio.NewScanner(out); s.Scan(); {
		if m := line.FindStringSubmatch(s.Text()); m != nil && !told {
			told = true
			ready <- m[1:]
		}
	}
	p.wait()
}

func (p *Process) wait() {
	_ = p.cmd.Wait()
	close(p.done)
}

// Done returns a channel that is closed when the daemon has exited.
func (p *Process) Done() <-chan struct{} { return p.done }

// Kill kills the daemon, but not its child processes, and waits until it has exited.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill()
	<-p.done
}

// Stop sends the daemon the signal that Ctrl-C sends. If the daemon has not exited after patience,
// Stop kills it. Stop reports whether the daemon exited without being killed.
func (p *Process) Stop(patience time.Duration) bool {
	_ = p.cmd.Process.Signal(os.Interrupt)
	select {
	case <-p.done:
		return true
	case <-time.After(patience):
		p.Kill()
		return false
	}
}
