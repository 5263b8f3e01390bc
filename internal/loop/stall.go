package loop

import (
	"context"
	"errors"
)

// stall is a period during which the disk rejects writes. The Loop's stall is the current one or,
// if the disk accepts writes, the next one.
type stall struct {
	begun chan struct{} // closed when it begins
	err   error         // of the disk; set before begun is closed
	over  chan struct{} // closed when it is over
}

func newStall() *stall { return &stall{begun: make(chan struct{}), over: make(chan struct{})} }

func (s *stall) begin(err error) {
	s.err = err
	close(s.begun)
}

// afterStall waits until the current stall, if any, is over or ctx is done. It returns the Loop's
// stall.
func (l *Loop[F]) afterStall(ctx context.Context) *stall {
	s := l.stall.Load()
	select {
	case <-s.begun:
	default:
		return s
	}
	select {
	case <-s.over:
	case <-ctx.Done():
	}
	return l.stall.Load()
}

type patient struct{}

// Patient returns a copy of ctx with which Do waits while the disk rejects writes. It is for the
// daemon's own work, which no client retries.
func Patient(ctx context.Context) context.Context { return context.WithValue(ctx, patient{}, true) }

func isPatient(ctx context.Context) bool { return ctx.Value(patient{}) != nil }

// undecided is an error that Do returns after f has run, or while it may still run.
type undecided struct{ error }

func (u undecided) Unwrap() error { return u.error }

// Undecided reports whether err is an error from Do after which f may or may not take effect.
func Undecided(err error) bool {
	var u undecided
	return errors.As(err, &u)
}
