// Package lifecycle gives every goroutine an owner and an end.
package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/howdah/howdah/job/failure"
)

// Stack runs a daemon's parts and stops them in the reverse order of their start: what was started later may rely on what was
// started earlier until its own end. The parts run until the parent context ends or one of them returns an error.
// Start and Wait are called by one goroutine.
type Stack struct {
	parent context.Context
	failed chan struct{} // closed when a part failed
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

// NewStack makes an empty stack that stops when parent ends.
func NewStack(parent context.Context) *Stack {
	return &Stack{parent: parent, failed: make(chan struct{})}
}

// Start runs a part in a goroutine of its own until its context ends. A part that returns nil earlier simply is done; an
// error or a panic stops the whole stack.
func (s *Stack) Start(name string, run func(ctx context.Context) error) {
	// Not derived from parent: each part is told to stop only after those above it have ended.
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

// OnStop registers what to do when everything started after it has ended.
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

// Wait returns after the parent context ended or a part failed, and all parts have ended. It gives the first failure.
func (s *Stack) Wait() error {
	select {
	case <-s.parent.Done():
	case <-s.failed:
	}
	return s.Stop()
}

// Stop ends all parts, the last started first, and gives the first failure. Calling it again does nothing more.
func (s *Stack) Stop() error {
	for i := len(s.parts) - 1; i >= 0; i-- {
		s.parts[i].cancel()
		<-s.parts[i].done
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// protect turns a panic into an error, so that a bug in one part stops the daemon in good order.
func protect(name string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = failure.New(failure.Internal, "run", name, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	return f()
}
