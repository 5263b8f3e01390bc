package minicluster

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/internal/shellwords"
	"github.com/howdah/howdah/job/failure"
)

// part is one process of the cluster.
type part struct {
	name string
	args []string // program and arguments
	l    layout

	cmd  *exec.Cmd
	done chan struct{} // closed when cmd has ended
	err  error         // result of the process; read it only after done is closed
}

// start starts the process through s and writes its command line and process ID to files.
func (p *part) start(s *starter) error {
	log, err := os.OpenFile(p.l.log(p.name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return failure.New(failure.KindOf(err), "open log of", p.name, err)
	}
	defer log.Close()
	if err := os.WriteFile(p.l.command(p.name), []byte(shellwords.Join(p.args)+"\n"), 0o755); err != nil {
		return failure.New(failure.KindOf(err), "write command of", p.name, err)
	}
	cmd := exec.Command(p.args[0], p.args[1:]...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = childAttributes()
	if err := s.start(cmd); err != nil {
		return failure.New(failure.KindOf(err), "start", p.name, err)
	}
	if err := lifecycle.WritePID(p.l.pid(p.name), cmd.Process.Pid); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return err
	}
	p.cmd, p.done = cmd, make(chan struct{})
	go func(cmd *exec.Cmd, done chan struct{}) {
		p.err = cmd.Wait()
		close(done)
	}(cmd, p.done)
	return nil
}

func (p *part) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// why returns an error that says how the process ended and contains the last lines of its log.
func (p *part) why() error {
	how := "it exited with code 0"
	var e *exec.ExitError
	if errors.As(p.err, &e) {
		how = "it ended: " + e.ProcessState.String()
	}
	tail := lastLines(p.l.log(p.name), 20)
	return failure.New(failure.Node, "run", p.name, fmt.Errorf("%s; its program is %s; its log %s ends with:\n%s", how,
		p.args[0], p.l.log(p.name), tail))
}

// lastLines returns at most n lines and at most 16 KiB from the end of a log file.
func lastLines(file string, n int) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	if len(b) > 16<<10 {
		b = b[len(b)-16<<10:]
	}
	lines := bytes.Split(bytes.TrimRight(b, "\n"), []byte("\n"))
	return string(bytes.Join(lines[max(0, len(lines)-n):], []byte("\n")))
}

// stopGrace is the time that a part or the user's command has to exit before it is killed.
const stopGrace = 5 * time.Second

// stop ends all parts concurrently. It kills a part that does not end gracefully within stopGrace.
// It also ends parts that were restarted by hand, whose process IDs are in the pid files. It
// removes the pid files.
func stop(parts []*part) {
	for _, p := range parts {
		p.signal(terminate)
	}
	deadline := time.Now().Add(stopGrace)
	for _, p := range parts {
		for p.alive() && time.Now().Before(deadline) {
			time.Sleep(5 * time.Millisecond)
		}
		if p.alive() {
			p.signal(kill)
			for i := 0; p.alive() && i < 400; i++ {
				time.Sleep(5 * time.Millisecond)
			}
		}
		os.Remove(p.l.pid(p.name))
	}
}

// stranger returns the process ID in the part's pid file if this part is now running in a process
// that this program did not start. Otherwise it returns 0.
func (p *part) stranger() int {
	b, err := os.ReadFile(p.l.pid(p.name))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil || pid <= 1 || p.cmd != nil && pid == p.cmd.Process.Pid || !runsIn(pid, p.l.conf()) {
		return 0
	}
	return pid
}

func (p *part) alive() bool {
	return p.cmd != nil && !p.ended() || p.stranger() != 0
}
