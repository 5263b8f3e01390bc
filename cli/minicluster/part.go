package minicluster

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// part is one process of the cluster.
type part struct {
	name string
	args []string // program and arguments
	l    layout

	cmd  *exec.Cmd
	done chan struct{} // closed when cmd has ended
	err  error         // how it ended; read after done
}

// shellLine writes a command so that a shell understands it; plain words stay unquoted.
func shellLine(args []string) string {
	var b strings.Builder
	for i, a := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		if a != "" && strings.Trim(a, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,@%+") == "" {
			b.WriteString(a)
			continue
		}
		b.WriteString("'" + strings.ReplaceAll(a, "'", `'\''`) + "'")
	}
	b.WriteByte('\n')
	return b.String()
}

// start runs the process; s starts it from a thread that lives as long as this program.
func (p *part) start(s *starter) error {
	log, err := os.OpenFile(p.l.log(p.name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return failure.New(failure.KindOf(err), "open log of", p.name, err)
	}
	defer log.Close()
	if err := os.WriteFile(p.l.command(p.name), []byte(shellLine(p.args)), 0o755); err != nil {
		return failure.New(failure.KindOf(err), "write command of", p.name, err)
	}
	cmd := exec.Command(p.args[0], p.args[1:]...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = childAttributes()
	if err := s.start(cmd); err != nil {
		return failure.New(failure.KindOf(err), "start", p.name, err)
	}
	if err := WritePID(p.l.pid(p.name), cmd.Process.Pid); err != nil {
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

// WritePID puts a process id into a file, all at once: somebody may be reading it.
func WritePID(file string, pid int) error {
	aside := filepath.Join(filepath.Dir(file), "."+filepath.Base(file)+"."+strconv.Itoa(os.Getpid()))
	err := os.WriteFile(aside, []byte(strconv.Itoa(pid)+"\n"), 0o644)
	if err == nil {
		err = os.Rename(aside, file)
	}
	if err != nil {
		return failure.New(failure.KindOf(err), "write process id to", file, err)
	}
	return nil
}

// ended reports whether the process is no more.
func (p *part) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// why tells how the process ended, with the last lines of its log.
func (p *part) why() error {
	how := "it exited with code 0"
	var e *exec.ExitError
	if errors.As(p.err, &e) {
		how = "it ended: " + e.ProcessState.String()
	}
	tail := lastLines(p.l.log(p.name), 20)
	return failure.New(failure.Node, "run", p.name, fmt.Errorf("%s; its log %s ends with:\n%s", how, p.l.log(p.name), tail))
}

// lastLines gives the end of a log file, at most n lines and 16 KiB.
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

// stopGrace is how long a part may take to leave in good order.
const stopGrace = 5 * time.Second

// stop ends parts at once: politely, then by force. Whoever started a part again by hand wrote its own pid; that process
// belongs to the cluster too.
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

// strangers gives the pid in the part's pid file if another process than ours serves as this part now.
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
