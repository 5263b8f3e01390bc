package streaming

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/howdah/howdah/internal/proctree"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// spawner starts all commands of this process. A process group holds a command and its descendants together: a command that
// were the init of a pid namespace would not be what its author tested. A TaskTracker's child is in such a namespace itself.
var spawner = sync.OnceValue(func() *proctree.Spawner { return proctree.NewSpawner(proctree.Group) })

// process is a command that runs, with its three pipes.
type process struct {
	command       string
	tree          *proctree.Tree
	stdin, stdout *os.File
	stderr        chan struct{} // closed when all of it was read
	refused       error         // what its standard error asked for and could not have; set before stderr is closed
	gone          chan struct{} // closed when all processes are gone
	stopped       atomic.Bool
	unwatch       func() bool
	joinDelay     time.Duration // how long output is waited for when the process has ended; 0 = to its end
}

// start starts a command in the attempt's directory. It is killed with all its descendants when the attempt's context ends.
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
	if p.joinDelay, err = c.Conf.Duration(keyJoinDelay, 0, time.Millisecond, 0, 24*time.Hour); err != nil {
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

// spawn starts the process and keeps this side of its pipes.
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
			return failure.New(failure.IO, "make a pipe to", p.command, err)
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
		p.refused = readStderr(c, ours[2], func() { _ = tree.Kill() })
		ours[2].Close()
	}()
	return nil
}

// termGrace is how long a command may take to leave in peace when its attempt is stopped.
const termGrace = time.Second

// stop ends the process and its descendants: first they are asked to. Only the first call does anything.
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

// wait waits for the end of the process and of what it writes (drained tells of its standard output), kills what it left
// behind, and gives its exit code, a signal as 128 more.
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
	if p.refused != nil {
		return 0, p.refused
	}
	if exit.Signal != 0 {
		return 128 + int(exit.Signal), err
	}
	return exit.Code, err
}

// cutOff ends the reading of output that comes, from descendants, too long after the process itself has ended.
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

// exitError is the error of a command that ended with a code.
func (p *process) exitError(code int) error {
	return failure.New(failure.User, "run", p.command, fmt.Errorf("PipeMapRed.waitOutputThreads(): subprocess failed with code %d", code)).
		Fix("its standard error is in the attempt's stderr log; -D " + keyNonZeroExit + "=false accepts any code")
}
