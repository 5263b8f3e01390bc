// Package loop drives a state machine whose facts are in a journal. One goroutine steps the
// machine, and another writes the facts (internal/factlog). While the writer writes one batch, the
// next batch grows, so many steps share one fsync. Nothing that a step has decided becomes visible
// before its facts are durable. New returns a Loop, and Ask queries its machine.
package loop

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/howdah/howdah/internal/factlog"
	"github.com/howdah/howdah/job/failure"
)

// Machine is what a Loop needs from a state machine with facts of type F. While it runs, the loop
// calls the functions in its goroutine, except BeforeRotate. Encode appends the bytes of a fact to a
// slice. Sent and BeforeRotate can be nil.
type Machine[F any] struct {
	Name     string // of the daemon, for errors, such as "the JobTracker"
	Encode   func(to []byte, fact F) ([]byte, error)
	Snapshot func(put func(F)) // passes the facts that rebuild the present state to put
	Err      func() error      // an error ends the loop, because the machine has a bug
	Tick     func()            // processes due deadlines
	// UntilTick returns the time until the next Tick.
	UntilTick func() time.Duration
	// Sent runs after the loop has passed a batch to the writer.
	Sent func()
	// BeforeRotate runs in the writer before facts disappear from the journal.
	BeforeRotate func()
}

// Loop owns a machine while Run runs. Only functions that the loop calls may use Append, Later,
// Drain, and Sync. Before Run, the goroutine that made the loop may use Append and Later, too.
type Loop[F any] struct {
	Machine[F]
	calls chan call
	full  chan *batch
	grown atomic.Bool   // set by the writer if the journal needs a snapshot
	dead  chan struct{} // closed by the writer if the disk has failed
	done  chan struct{} // closed when the loop and the writer have ended
	cur   *batch
	fault error
}

// call is a function that the loop runs between two steps of the machine. The function can perform
// steps itself.
type call struct {
	f       func()
	durable chan struct{} // closed after the state that f saw or made is durable
}

// batch holds facts that become durable together and the functions that wait for them.
type batch struct {
	facts   []byte
	release []func()
	rotate  bool // facts begin with a complete snapshot and become a new journal file
}

const (
	// maxCalls is the length of the loop's queue. If the queue is full, callers wait until it has
	// room or their contexts end.
	maxCalls = 4096
	// maxBatch and maxRelease limit a batch's bytes of facts and number of functions. At a limit the
	// loop waits for the disk.
	maxBatch   = 4 << 20
	maxRelease = 4096
)

// New returns a Loop that does nothing before Run. Until then, the caller can set more fields of its
// Machine.
func New[F any](m Machine[F]) *Loop[F] {
	return &Loop[F]{Machine: m, calls: make(chan call, maxCalls), full: make(chan *batch),
		dead: make(chan struct{}), done: make(chan struct{}), cur: &batch{}}
}

// Run steps the machine and writes to log until ctx ends, a write fails, or the machine detects a
// bug in itself. If ctx ends, Run writes the last batch and returns nil. Call it at most once.
func (l *Loop[F]) Run(ctx context.Context, log factlog.Writer) error {
	defer close(l.done)
	written := make(chan error, 1)
	go func() { written <- l.write(log) }()
	err := l.serve(ctx)
	close(l.full)
	return cmp.Or(<-written, err)
}

func (l *Loop[F]) serve(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		if l.grown.Swap(false) {
			l.snapshot()
		}
		if err := cmp.Or(l.fault, l.Err()); err != nil {
			return failure.New(failure.Internal, "run", l.Name, err)
		}
		timer.Reset(l.UntilTick())
		calls, full, tick := l.calls, l.full, timer.C
		if l.cur.tooLarge() {
			calls, tick = nil, nil
		}
		if l.cur.empty() {
			full = nil
		}
		select {
		case <-ctx.Done():
			l.full <- l.cur
			return nil
		case <-l.dead:
			return nil
		case c := <-calls:
			l.handle(c)
		case full <- l.cur:
			l.cur = &batch{}
			if l.Sent != nil {
				l.Sent()
			}
		case <-tick:
			l.Tick()
		}
	}
}

// snapshot makes the batch the beginning of a new journal. It drops the batch's facts, because the
// snapshot includes them.
func (l *Loop[F]) snapshot() {
	l.cur.facts, l.cur.rotate = l.cur.facts[:0], true
	l.Snapshot(l.Append)
}

func (b *batch) empty() bool { return len(b.facts) == 0 && len(b.release) == 0 }

// tooLarge reports whether the batch is so large that the loop must wait for the disk.
func (b *batch) tooLarge() bool { return len(b.facts) >= maxBatch || len(b.release) >= maxRelease }

// Append adds a fact to the batch. If Encode fails, the loop ends and writes no more.
func (l *Loop[F]) Append(fact F) {
	facts, err := l.Encode(l.cur.facts, fact)
	if err != nil && l.fault == nil {
		l.fault = err
	}
	l.cur.facts = facts
}

// Later runs f in the writer after all earlier facts are durable. f can be nil.
func (l *Loop[F]) Later(f func()) {
	if f != nil {
		l.cur.release = append(l.cur.release, f)
	}
}

// Drain runs the calls that wait in the queue.
func (l *Loop[F]) Drain() {
	for range len(l.calls) {
		l.handle(<-l.calls)
	}
}

func (l *Loop[F]) handle(c call) {
	c.f()
	l.Later(func() { close(c.durable) })
}

// Sync waits until the writer has processed all batches that it has received.
func (l *Loop[F]) Sync() { l.full <- &batch{} }

// Do runs f in the loop's goroutine and returns after the state that f saw or made is durable. If
// it returns an error, f may still run later, or its decisions may be on disk.
func (l *Loop[F]) Do(ctx context.Context, f func()) error {
	c := call{f, make(chan struct{})}
	select {
	case l.calls <- c:
	case <-ctx.Done():
		return failure.New(failure.Timeout, "query", l.Name, ctx.Err())
	case <-l.done:
		return l.stopping()
	}
	select {
	case <-c.durable:
		return nil
	case <-ctx.Done():
		return failure.New(failure.Timeout, "query", l.Name, ctx.Err())
	case <-l.done:
	}
	select {
	case <-c.durable: // the last batch included the call
		return nil
	default:
		return l.stopping()
	}
}

func (l *Loop[F]) stopping() error {
	return failure.New(failure.Unreachable, "query", l.Name, errors.New("it is shutting down")).
		Fix("retry after it restarts")
}

// Ask is Do for a function with results. If it returns an error of Do, the caller must not use
// variables that f writes, because f may still run.
func Ask[T, F any](ctx context.Context, l *Loop[F], f func() (T, error)) (T, error) {
	var r struct {
		value T
		err   error
	}
	if err := l.Do(ctx, func() { r.value, r.err = f() }); err != nil {
		var none T
		return none, err
	}
	return r.value, r.err
}
