package minicluster

import (
	"os/exec"
	"runtime"
	"syscall"
)

const (
	terminate = syscall.SIGTERM
	kill      = syscall.SIGKILL
)

// signal sends s to the part's process, and to the process that replaced it if there is one.
func (p *part) signal(s syscall.Signal) {
	if p.cmd != nil && !p.ended() {
		_ = p.cmd.Process.Signal(s)
	}
	if pid := p.stranger(); pid != 0 {
		_ = syscall.Kill(pid, s)
	}
}

// starter starts processes from one thread, which lasts until close. Linux sends the parent-death
// signal when the thread that created the child exits.
type starter struct{ work chan func() }

func newStarter() *starter {
	s := &starter{make(chan func())}
	go func() {
		runtime.LockOSThread()
		for f := range s.work {
			f()
		}
	}()
	return s
}

func (s *starter) start(cmd *exec.Cmd) error {
	err := make(chan error, 1)
	s.work <- func() { err <- cmd.Start() }
	return <-err
}

// close ends the thread. On Linux, this also kills any remaining children.
func (s *starter) close() { close(s.work) }
