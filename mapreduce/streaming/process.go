package streaming

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/proctree"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// spawner starts all commands of this process. It puts a command and its descendants into a process
// group. It does not use a PID namespace, because a command would then run as init and behave
// differently than in its author's tests. On a cluster, the TaskTracker's child is already in such
// a namespace if the kernel permits one.
var spawner = sync.OnceValue(func() *proctree.Spawner {
	reserveThreads(2*runtime.GOMAXPROCS(0) + 4)
	return proctree.NewSpawner(proctree.Group)
})

// reserveThreads makes the Go runtime create n threads, which the runtime keeps. Otherwise, a
// command that uses up the task's processes (howdah.tasktracker.task.processes) would crash this
// process as soon as the runtime needs another thread, such as for its first garbage collection.
func reserveThreads(n int) {
	var locked, done sync.WaitGroup
	locked.Add(n)
	for range n {
		done.Go(func() {
			runtime.LockOSThread()
			locked.Done()
			locked.Wait() // so that each goroutine has its own thread
			runtime.UnlockOSThread()
		})
	}
	done.Wait()
}

// process is a running command with its three pipes.
type process struct {
	command       string
	tree          *proctree.Tree
	stdin, stdout *os.File
	stderr        chan struct{} // closed when standard error has been read completely
	refused       error         // error from requests on standard error; valid after stderr is closed
	gone          chan struct{} // closed when the command has ended
	stopped       atomic.Bool
	unwatch       func() bool
	joinDelay     time.Duration // maximum wait for the end of the output after the process has ended; 0 = no limit
}

// start starts a command in the attempt's directory. When the attempt's context ends, stop ends the
// command and its descendants.
func start(c *mapreduce.Context, command string) (*process, error) {
	words := splitCommand(command)
	if len(words) == 0 {
		return nil, failure.New(failure.Usage, "start", "a command", nil).Fix("name a program")
	}
	dir := c.Task().WorkDir
	here, err := os.Getwd()
	if err != nil {
		here = dir
	}
	path, err := findProgram(words[0], dir, here)
	if err != nil {
		return nil, err
	}
	p := &process{command: command, stderr: make(chan struct{}), gone: make(chan struct{})}
	if p.joinDelay, err = conf.StreamJoinDelayMilli.Get(c.Conf); err != nil {
		return nil, err
	}
	env, err := environment(c.Conf, dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(dir, "tmp"), 0o700); err != nil {
		return nil, failure.New(failure.KindOf(err), "make directory", filepath.Join(dir, "tmp"), err)
	}
	return p, p.spawn(c, proctree.Spec{Path: path, Args: append([]string{path}, words[1:]...), Env: env, Dir: dir})
}

// spawn starts the process, stores the parent's ends of its pipes, and starts to read its standard
// error.
func (p *process) spawn(c *mapreduce.Context, spec proctree.Spec) error {
	var theirs, ours [3]*os.File
	defer func() {
		for _, f := range theirs {
			if f != nil {
				f.Close()
			}
		}
	}()
	for i := range theirs {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(ours[:])
			return failure.New(failure.IO, "create a pipe to", p.command, err)
		}
		theirs[i], ours[i] = r, w
		if i > 0 {
			theirs[i], ours[i] = w, r
		}
		enlarge(w)
	}
	spec.Files = theirs[:]
	tree, err := spawner().Start(spec)
	if err != nil {
		closeAll(ours[:])
		return explainStart(p.command, err)
	}
	p.tree, p.stdin, p.stdout = tree, ours[0], ours[1]
	p.unwatch = context.AfterFunc(c.Context(), p.stop)
	go func() {
		defer close(p.stderr)
		readStderr(c, ours[2], func(err error) {
			p.refused = err
			_ = p.tree.Kill()
		})
		ours[2].Close()
	}()
	return nil
}

// termGrace is how long a command has to exit after SIGTERM, before SIGKILL.
const termGrace = time.Second

// stop ends the process and its descendants, gracefully at first. Only the first call has an
// effect.
func (p *process) stop() {
	if !p.stopped.CompareAndSwap(false, true) {
		return
	}
	_ = p.tree.Signal(syscall.SIGTERM)
	select {
	case <-p.gone:
	case <-time.After(termGrace):
		_ = p.tree.Kill()
	}
}

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

// wait waits until the process and its output have ended. The caller closes drained at the end of
// standard output. wait then kills any remaining descendants and returns the exit code. If a signal
// killed the process, the exit code is 128 plus the signal's number.
func (p *process) wait(drained <-chan struct{}) (int, error) {
	if p.joinDelay > 0 {
		p.cutOff(drained)
	}
	<-drained
	<-p.stderr
	exit, err := p.tree.Wait()
	close(p.gone)
	p.unwatch()
	p.stdout.Close()
	if exit.Signal != 0 {
		return 128 + int(exit.Signal), err
	}
	return exit.Code, err
}

// cutOff kills the descendants if they keep the output open for more than joinDelay after the process
// has ended.
func (p *process) cutOff(drained <-chan struct{}) {
	p.tree.AwaitFirst()
	late := time.After(p.joinDelay)
	for _, ended := range []<-chan struct{}{drained, p.stderr} {
		select {
		case <-ended:
		case <-late:
			_ = p.tree.Kill()
			return
		}
	}
}

// exitError returns the error for a command's exit code.
func (p *process) exitError(c *mapreduce.Context, code int) error {
	fix := "see the messages of the command above"
	switch id := c.Task().Attempt; {
	case conf.FrameworkName.Get(c.Conf) == "yarn":
		fix = "see the attempt's stderr log"
	case !strings.HasPrefix(id.Job.Cluster, "local"): // the command runs on a cluster
		fix = "see the attempt's stderr log: howdah job -logs " + id.Job.String() + " " + id.String()
	}
	if needsShell(p.command) {
		fix = "howdah runs no shell; use sh -c '...'"
	}
	return failure.New(failure.User, "run", p.command,
		fmt.Errorf("PipeMapRed.waitOutputThreads(): subprocess failed with code %d", code)).
		Fix(fix + "; use -D " + conf.StreamNonZeroExitIsFailure.Name + "=false to accept any exit code")
}
