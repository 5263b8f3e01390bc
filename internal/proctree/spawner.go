package proctree

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// Spawner starts trees. All of them die with it.
type Spawner struct {
	requests chan request
	done     chan struct{}
	close    sync.Once
	mode     atomic.Uint32
}

// count numbers the trees of this process, whichever Spawner they have.
var count atomic.Uint64

type request struct {
	spec  *Spec
	reply chan<- result
}

type result struct {
	tree *Tree
	err  error
}

// NewSpawner makes a Spawner that begins with the given mode. Close ends it.
func NewSpawner(first Mode) *Spawner {
	s := &Spawner{requests: make(chan request), done: make(chan struct{})}
	s.mode.Store(uint32(max(first, bestMode)))
	go s.run()
	return s
}

// run owns an OS thread. The kernel sends a child its parent-death signal when the thread that made it ends, not the
// process, so all children are made by one thread that lives as long as the Spawner.
func (s *Spawner) run() {
	runtime.LockOSThread() // never unlocked: the thread ends with this goroutine
	for {
		select {
		case r := <-s.requests:
			tree, err := s.start(r.spec)
			r.reply <- result{tree, err}
		case <-s.done:
			return
		}
	}
}

// Close ends the Spawner. Trees that still run are killed, in Group mode as far as the kernel does it.
func (s *Spawner) Close() { s.close.Do(func() { close(s.done) }) }

// Mode tells how the next tree will be held together.
func (s *Spawner) Mode() Mode { return Mode(s.mode.Load()) }

// Start starts a tree. The caller keeps its files.
func (s *Spawner) Start(spec Spec) (*Tree, error) {
	reply := make(chan result, 1)
	select {
	case s.requests <- request{&spec, reply}:
		r := <-reply
		return r.tree, r.err
	case <-s.done:
		return nil, failure.New(failure.Killed, "start", spec.Path, errors.New("shutting down"))
	}
}

// start tries the modes from the current one on. What the kernel refused once is not tried again.
func (s *Spawner) start(spec *Spec) (*Tree, error) {
	mark := fmt.Sprintf("HOWDAH_TREE=%d.%d", os.Getpid(), count.Add(1))
	env := append(append(make([]string, 0, len(spec.Env)+1), spec.Env...), mark)
	for mode := s.Mode(); ; mode++ {
		proc, err := startProcess(spec.Path, spec.Args, &os.ProcAttr{Dir: spec.Dir, Env: env, Files: spec.Files, Sys: sysProcAttr(mode)})
		if err == nil {
			s.mode.Store(uint32(mode))
			return &Tree{mode: mode, mark: mark, proc: proc}, nil
		}
		if mode == Group || !refused(err) || !executable(spec.Path) {
			return nil, failure.New(failure.KindOf(err), "start", spec.Path, err)
		}
	}
}

// startProcess starts a process. A program that was written a moment ago may be "busy": a child that another thread forked in between
// holds the descriptor of the writer until its own exec, some microseconds later. So that error is worth a few more tries.
func startProcess(path string, args []string, attr *os.ProcAttr) (*os.Process, error) {
	const tries = 10
	for n := 1; ; n++ {
		proc, err := os.StartProcess(path, args, attr)
		if !errors.Is(err, syscall.ETXTBSY) || n == tries {
			return proc, err
		}
		time.Sleep(time.Duration(n*n) * time.Millisecond)
	}
}

// refused tells whether an error can come from the kernel's refusal of namespaces.
func refused(err error) bool {
	for _, e := range []error{syscall.EPERM, syscall.EACCES, syscall.EINVAL, syscall.ENOSPC, syscall.ENOSYS, syscall.EUSERS} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// executable tells a file that cannot be run, which gives EACCES too, from a refusal.
func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}
