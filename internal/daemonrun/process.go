// Package daemonrun runs howdah's daemons as processes of their own and waits until they serve: for experiments, benchmarks and tests.
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

// Command says what to start. The process gets Environ.
type Command struct {
	Program string    // howdah
	Args    []string  // what follows the daemon's name
	Log     io.Writer // gets what it logs; nil = nobody wants it
	// OwnGroup keeps Ctrl-C on a terminal from it: whoever starts it hears that, does what is to be done first, and stops it.
	OwnGroup bool
}

// Process is a daemon that has said that it serves. Its methods may be called concurrently.
type Process struct {
	cmd  *exec.Cmd
	done chan struct{}
}

// startTimeout bounds how long a daemon may take until it serves, on a busy machine.
const startTimeout = 90 * time.Second

// Environ is the environment of this process without settings of the machine's own Hadoop and howdah.
func Environ() []string {
	var out []string
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "HADOOP_") && !strings.HasPrefix(e, "HOWDAH_") {
			out = append(out, e)
		}
	}
	return out
}

// start starts a daemon, a command of howdah, and waits for the line with which it says that it serves; what the line's groups
// matched is returned. A daemon that does not say it is ended.
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
		err = fmt.Errorf("it does not serve after %v", startTimeout)
	case <-ctx.Done():
		err = ctx.Err()
	}
	p.Stop(startTimeout)
	return nil, nil, bad(err)
}

// follow reads what the daemon prints until it ends.
func (p *Process) follow(out io.Reader, line *regexp.Regexp, ready chan<- []string) {
	told := false
	for s := bufio.NewScanner(out); s.Scan(); {
		if m := line.FindStringSubmatch(s.Text()); m != nil && !told {
			told = true
			ready <- m[1:]
		}
	}
	_ = p.cmd.Wait()
	close(p.done)
}

// Done is closed when the daemon has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Kill ends the daemon at once; what it has started goes on.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill()
	<-p.done
}

// Stop ends the daemon as Ctrl-C does. It reports whether it ended by itself within the time; if not it was killed.
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
