// Package lifecycle starts the goroutines of a daemon and stops them with the daemon.
package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/howdah/howdah/job/failure"
)

// Stack runs a daemon's parts and stops them in the reverse order of their start. A part can
// therefore rely on all earlier parts until it stops. Wait stops the parts when the parent context
// is done or one of them fails. All methods must be called from the same goroutine.
type Stack struct {
	parent context.Context
	failed chan struct{} // closed when a part has failed
	once   sync.Once
	parts  []*part

	mu  sync.Mutex
	err error // the first failure
}

type part struct {
	name   string
	cancel context.CancelFunc
	done   chan struct{}
}

// NewStack returns an empty stack. Wait stops the stack's parts when parent is done.
func NewStack(parent context.Context) *Stack {
	return &Stack{parent: parent, failed: make(chan struct{})}
}

// Start runs a part in a goroutine. run must return when its context is done. If it returns nil or
// context.Canceled before that, the other parts continue. After any other error or a panic, Wait
// stops the whole stack.
func (s *Stack) Start(name string, run func(ctx context.Context) error) {
	// The context is not canceled with the parent, because each part must stop only after all later
	// parts have stopped.
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.parent))
	p := &part{name: name, cancel: cancel, done: make(chan struct{})}
	s.parts = append(s.parts, p)
	go func() {
		defer close(p.done)
		if err := protect(name, func() error { return run(ctx) }); err != nil && !errors.Is(err, context.Canceled) {
			s.fail(err)
		}
	}()
}

// OnStop registers a function that the stack calls when it stops, after all parts that were started
// later have stopped.
func (s *Stack) OnStop(name string, stop func() error) {
	s.Start(name, func(ctx context.Context) error {
		<-ctx.Done()
		return stop()
	})
}

func (s *Stack) fail(err error) {
	s.mu.Lock()
	if s.err == nil {
		s.err = err
	}
	s.mu.Unlock()
	s.once.Do(func() { close(s.failed) })
}

// Wait waits until the parent context is done or a part fails. It then stops all parts, and returns
// the first failure.
func (s *Stack) Wait() error {
	select {
	case <-s.parent.Done():
	case <-s.failed:
	}
	return s.Stop()
}

// Stop stops all parts, the last one first, and returns the first failure. Later calls only return
// that failure.
func (s *Stack) Stop() error {
	for i := len(s.parts) - 1; i >= 0; i-- {
		s.parts[i].cancel()
		<-s.parts[i].done
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// protect converts a panic into an error, so that a bug in one part leads to an orderly stop of the
// daemon.
func protect(name string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = failure.New(failure.Internal, "run", name, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	return f()
}
