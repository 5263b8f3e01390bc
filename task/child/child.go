// Package child implements the child side of the umbilical. A child is a process, started by a
// TaskTracker, that runs attempts one by one and reports their progress. It loads as little as
// possible because starting and ending it must be cheap.
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
	"github.com/howdah/howdah/internal/heap"
	"github.com/howdah/howdah/internal/wire/umbilical"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/task/shuffle"
)

// Env is the environment variable that makes a program run as a task child. The TaskTracker sets it
// to 1 and passes the umbilical, a socket, as file descriptor FD.
const (
	Env = "HOWDAH_CHILD"
	FD  = 3
)

// Wanted reports whether this process was started as a task child.
func Wanted() bool { return os.Getenv(Env) == "1" }

// Config contains what the program provides to its task children.
type Config struct {
	Jobs func(name string) *mapreduce.Job // returns the program's job called name, or nil if there is none
	FS   func(*conf.Config) (dfs.Resolver, error)
}

// indexMemory is the memory in bytes for the indexes of map outputs. A map output's index has 32
// bytes for each reducer.
const indexMemory = 8 << 20

// Main serves the umbilical until the TaskTracker no longer needs this process. It returns the exit
// code. The code is not 0 if an attempt failed or was stopped, or if the process has no umbilical.
// If the TaskTracker dies, the process exits immediately.
func Main(c Config) int {
	heap.Delay(heap.Small)
	os.Unsetenv(Env) // keeps programs that tasks start from becoming TaskTracker children
	line := os.NewFile(FD, "umbilical")
	if line == nil {
		os.Stderr.WriteString("this process was not started by a TaskTracker\n")
		return 2
	}
	syscall.CloseOnExec(FD)
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	stopOnSignal(cancel)
	s := &server{Config: c, stop: cancel, out: frame.NewWriter(line), launches: make(chan *launched, 1),
		memory: memory{limit: limitProcess}, files: shuffle.NewCache(indexMemory)}
	go s.read(line)
	return s.serve(ctx)
}

var errStopped = failure.New(failure.Killed, "run attempt", "", errors.New("the TaskTracker stopped it"))

// stopOnSignal makes SIGTERM cancel the attempt by calling cancel. The process exits after the
// attempt's code has returned. If the code does not return, the TaskTracker kills the process.
func stopOnSignal(cancel context.CancelCauseFunc) {
	term := make(chan os.Signal, 1)
	signal.Notify(term, syscall.SIGTERM)
	go func() {
		<-term
		cancel(errStopped)
	}()
}

// server is the state of a child process.
type server struct {
	Config
	stop     context.CancelCauseFunc
	launches chan *launched // closed when the process must exit
	memory   memory

	// Only the goroutine that runs the attempts uses these fields.
	conf     *conf.Config // the current or last job's configuration; nil before the first attempt
	confPath string
	files    *shuffle.Cache // map outputs of that job, for its reducers
	environ  []string       // environment variables before the first attempt; nil until then

	mu  sync.Mutex // guards out
	out *frame.Writer
}

// read processes the TaskTracker's messages. When the TaskTracker is gone, read ends the process.
func (s *server) read(line io.Reader) {
	in := frame.NewReader(line)
	leaving := false
	var current *launched
	for {
		var m umbilical.ToChild
		if err := in.Read(&m); err != nil {
			os.Exit(1) // the TaskTracker is gone; results are no longer needed
		}
		if m.Become != nil {
			if err := become(m.Become); err != nil {
				os.Stderr.WriteString(err.Error() + "\n")
				os.Exit(1) // nothing must run with the wrong rights
			}
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
			default: // sent twice
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

// serve runs attempts until the TaskTracker sends no more, an attempt fails, or ctx ends. It
// returns the exit code.
func (s *server) serve(ctx context.Context) int {
	s.send(&umbilical.FromChild{Ready: &umbilical.Ready{Pid: int32(os.Getpid()), Protocol: umbilical.Version}})
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

// send sends a message to the TaskTracker. An error means that the TaskTracker is gone, so send
// ends the process.
func (s *server) send(m *umbilical.FromChild) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.out.Write(m); err != nil {
		os.Exit(1)
	}
}
