// Package child is the child side of the umbilical: a process that a TaskTracker starts, that runs one attempt after the other
// and tells how they are doing. It loads nothing that it does not need: starting and ending such a process must cost next to
// nothing.
package child

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/frame"
	"github.com/howdah/howdah/internal/wire/umbilical"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// Env is the variable that makes a program a task child; the TaskTracker sets it to 1 and passes the umbilical, a socket, as
// descriptor FD.
const (
	Env = "HOWDAH_CHILD"
	FD  = 3
)

// Wanted reports whether this process was started as a task child.
func Wanted() bool { return os.Getenv(Env) == "1" }

// Config is what the program brings along.
type Config struct {
	Jobs func(name string) *mapreduce.Job // finds a job of the program; nil = there is none
	FS   func(*conf.Config) (dfs.Resolver, error)
}

// Main serves the umbilical until the TaskTracker is done with this process and gives its exit code: 0, or 1 after an attempt
// that failed. When the TaskTracker dies the process exits at once.
func Main(c Config) int {
	os.Unsetenv(Env) // programs that tasks start are no children of the TaskTracker
	line := os.NewFile(FD, "umbilical")
	if line == nil {
		os.Stderr.WriteString("this process was not started by a TaskTracker\n")
		return 2
	}
	syscall.CloseOnExec(FD)
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	stopOnSignal(cancel)
	s := &server{Config: c, stop: cancel, out: frame.NewWriter(line), launches: make(chan *launched, 1), memory: memory{limit: limitProcess}}
	go s.read(line)
	return s.serve(ctx)
}

var errStopped = failure.New(failure.Killed, "run attempt", "", errors.New("the TaskTracker stopped it"))

// stopOnSignal makes SIGTERM end the attempt; the process leaves when its code has noticed. The TaskTracker kills those that
// do not.
func stopOnSignal(cancel context.CancelCauseFunc) {
	term := make(chan os.Signal, 1)
	signal.Notify(term, syscall.SIGTERM)
	go func() {
		<-term
		cancel(errStopped)
	}()
}

// server is one child process.
type server struct {
	Config
	stop     context.CancelCauseFunc
	launches chan *launched // closed when the process shall leave
	memory   memory

	mu  sync.Mutex // guards out
	out *frame.Writer
}

// read takes what the TaskTracker says. It ends with the process.
func (s *server) read(line io.Reader) {
	in := frame.NewReader(line)
	leaving := false
	var current *launched
	for {
		var m umbilical.ToChild
		if err := in.Read(&m); err != nil {
			os.Exit(1) // the TaskTracker is gone and nobody waits for results
		}
		if m.Launch != nil && !leaving {
			current = &launched{server: s, l: m.Launch, outputs: newFeed(), granted: make(chan struct{}, 1)}
			s.launches <- current
		}
		if m.Completions != nil && current != nil {
			current.outputs.add(m.Completions.Event)
		}
		if m.Commit && current != nil {
			select {
			case current.granted <- struct{}{}:
			default: // told twice
			}
		}
		if m.Memory != nil {
			s.memory.lease(m.Memory)
		}
		if m.Stop {
			s.stop(errStopped)
		}
		if (m.Stop || m.Exit) && !leaving {
			leaving = true
			close(s.launches)
		}
	}
}

// serve runs attempts until there are no more.
func (s *server) serve(ctx context.Context) int {
	s.send(&umbilical.FromChild{Ready: &umbilical.Ready{Pid: int32(os.Getpid())}})
	for {
		select {
		case l, ok := <-s.launches:
			if !ok {
				return 0
			}
			if !s.attempt(ctx, l) {
				return 1
			}
		case <-ctx.Done():
			return 1
		}
	}
}

// send says something to the TaskTracker. If that fails the TaskTracker is gone, and read notices it too.
func (s *server) send(m *umbilical.FromChild) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.out.Write(m); err != nil {
		os.Exit(1)
	}
}
