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

// Spawner starts trees. The trees are killed when the Spawner is closed or this process exits, with
// the exceptions that Close and Group describe. On Linux, they inherit no open files other than
// those in their Spec. A Spawner is safe for concurrent use.
type Spawner struct {
	requests chan request
	done     chan struct{}
	close    sync.Once
	mode     atomic.Uint32
	confined bool
}

// count is the number of trees that this process has started, across all Spawners.
var count atomic.Uint64

type request struct {
	spec  *Spec
	reply chan<- result
}

type result struct {
	tree *Tree
	err  error
}

// NewSpawner returns a Spawner that tries the given mode first, or Group on systems other than
// Linux. The caller must call Close.
func NewSpawner(first Mode) *Spawner { return newSpawner(first, false) }

// NewConfined returns a Spawner for a process that runs as root and whose children switch to other
// users. On Linux, they and their descendants gain no rights from set-user-ID programs and file
// capabilities (no_new_privs). The Spawner does not use UserNamespace mode, because other users do
// not exist there.
func NewConfined(first Mode) *Spawner { return newSpawner(first, true) }

func newSpawner(first Mode, confined bool) *Spawner {
	s := &Spawner{requests: make(chan request), done: make(chan struct{}), confined: confined}
	s.mode.Store(uint32(max(first, bestMode)))
	keepDescriptors()
	go s.run()
	return s
}

// run creates all children from one OS thread, which exits only when the Spawner is closed. The
// kernel sends a child its parent-death signal when the thread that created the child exits, not
// when the whole process exits.
func (s *Spawner) run() {
	runtime.LockOSThread() // never unlocked, so the thread ends with this goroutine
	var broken error
	if s.confined {
		broken = confine() // for this thread and for the processes that it creates
	}
	for {
		select {
		case r := <-s.requests:
			if broken != nil {
				r.reply <- result{nil, failure.New(failure.KindOf(broken), "confine", r.spec.Path, broken)}
				continue
			}
			tree, err := s.start(r.spec)
			r.reply <- result{tree, err}
		case <-s.done:
			return
		}
	}
}

// Close stops the Spawner and kills the running trees. In Group mode, descendants of a tree's first
// process can survive. On systems other than Linux, Close kills nothing.
func (s *Spawner) Close() { s.close.Do(func() { close(s.done) }) }

// Mode returns the mode that Start tries first for the next tree.
func (s *Spawner) Mode() Mode { return Mode(s.mode.Load()) }

// Start starts a tree. The caller keeps ownership of the files in spec. After Close, the error is of
// kind Killed.
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

// start tries the modes in order of preference, beginning with the one that last succeeded. It
// falls back only if the error can mean that the kernel rejects the mode.
func (s *Spawner) start(spec *Spec) (*Tree, error) {
	mark := fmt.Sprintf("HOWDAH_TREE=%d.%d", os.Getpid(), count.Add(1))
	env := append(append(make([]string, 0, len(spec.Env)+1), spec.Env...), mark)
	for mode := s.Mode(); ; mode++ {
		if mode == UserNamespace && s.confined {
			continue
		}
		proc, err := startProcess(spec.Path, spec.Args, &os.ProcAttr{Dir: spec.Dir, Env: env, Files: spec.Files,
			Sys: sysProcAttr(mode)})
		if err == nil {
			s.mode.Store(uint32(mode))
			return &Tree{mode: mode, mark: mark, proc: proc}, nil
		}
		if mode != Group && refused(err) {
			if err = executable(spec.Path); err == nil {
				continue
			}
		}
		return nil, failure.New(failure.KindOf(err), "start", spec.Path, err)
	}
}

// startProcess starts a process. It retries a few times if a newly written program file is busy. In
// that case, a child forked by another thread still holds the writer's descriptor until its own
// exec some microseconds later.
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

// refused reports whether an error can mean that the kernel does not permit namespaces.
func refused(err error) bool {
	for _, e := range []error{syscall.EPERM, syscall.EACCES, syscall.EINVAL, syscall.ENOSPC, syscall.ENOSYS,
		syscall.EUSERS} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// executable returns an error if a file cannot be executed. Without this check, starting the file
// could fail with the same error that the kernel returns when it rejects a namespace.
func executable(path string) error {
	info, err := os.Stat(path)
	if err == nil && (!info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0) {
		return syscall.EACCES
	}
	return err
}
