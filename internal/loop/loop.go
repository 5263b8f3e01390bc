// Package loop drives a state machine whose facts are in a journal. One goroutine steps the
// machine, and another writes the facts (internal/factlog). While the writer writes one batch, the
// loop collects the next one, so many steps share one fsync. Nothing that a step has decided
// becomes visible before its facts are durable. New returns a Loop, and Ask queries its machine.
//
// While the disk rejects writes, the machine stalls and calls fail with the disk's error. The
// writer repeats the write until the disk accepts it. Then the machine continues, and no fact is lost.
package loop

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"sync/atomic"
	"time"

	"github.com/howdah/howdah/internal/factlog"
	"github.com/howdah/howdah/job/failure"
)

// Machine is what a Loop needs from a state machine with facts of type F. A running loop calls
// these functions in its own goroutine, unless their comments say otherwise. Encode appends the
// bytes of a fact to a slice. Sent, BeforeRotate, and Disk can be nil.
type Machine[F any] struct {
	Name   string // of the daemon, for errors, such as "the JobTracker"
	Encode func(to []byte, fact F) ([]byte, error)
	// Snapshot returns an iterator over the facts that rebuild the state at the start of the iteration.
	// The loop calls the machine's other functions while the iteration pauses.
	Snapshot func() iter.Seq[F]
	Err      func() error // returns an error if the machine has a bug; the loop then stops
	Tick     func()       // processes due deadlines
	// UntilTick returns the time until the next Tick.
	UntilTick func() time.Duration
	// Sent runs after the loop has passed a batch to the writer.
	Sent func()
	// BeforeRotate runs in the writer before a snapshot replaces facts in the journal. If it fails,
	// the facts stay in the journal.
	BeforeRotate func() error
	// Disk runs in the writer. Its argument is the error when the disk begins to reject writes, and
	// nil when the disk accepts them again.
	Disk func(err error)
}

// Loop owns a machine while Run runs. Only functions that the loop calls may use Append, Later,
// Drain, and Sync. Before Run, the goroutine that created the loop may also use Append and Later.
type Loop[F any] struct {
	Machine[F]
	calls chan call
	full  chan *batch
	spare chan *batch   // written batches, whose memory the loop uses again
	grown atomic.Bool   // set by the writer if the journal needs a snapshot
	busy  atomic.Int32  // number of batches that the writer has not finished
	dead  chan struct{} // closed by the writer if the journal has failed permanently
	done  chan struct{} // closed when the loop and the writer have ended
	stall atomic.Pointer[stall]
	cur   *batch
	next  *snapshot[F] // in progress; nil = none
	fault error
}

// call is a function that the loop runs between two steps of the machine. The function can perform
// steps itself.
type call struct {
	f       func()
	taken   *atomic.Bool  // set by the loop before it runs f, or by the caller to prevent f from running
	durable chan struct{} // closed after the state that f saw or made is durable
}

// batch contains facts that become durable together, and the functions to call when they are
// durable.
type batch struct {
	facts    []byte
	release  []func()
	snapshot [][]byte // nil, or the parts of a snapshot, which should become a new journal file
	included int      // length of the facts that the snapshot includes, in bytes
}

const (
	// maxCalls is the length of the loop's queue. If the queue is full, callers wait until it has
	// room or their contexts are done.
	maxCalls = 4096
	// maxBatch limits the facts of a batch, in bytes, and maxRelease limits the number of its
	// functions. At a limit, the loop waits for the disk.
	maxBatch   = 4 << 20
	maxRelease = 4096
	// maxSpare limits the facts of a batch whose memory is used again, in bytes.
	maxSpare = 1 << 20
)

// New returns a Loop that does nothing before Run. Until then, the caller can set more fields of its
// Machine.
func New[F any](m Machine[F]) *Loop[F] {
	l := &Loop[F]{Machine: m, calls: make(chan call, maxCalls), full: make(chan *batch),
		spare: make(chan *batch, 1), dead: make(chan struct{}), done: make(chan struct{}), cur: &batch{}}
	l.stall.Store(newStall())
	return l
}

// Run steps the machine and writes to log until ctx is done, the machine detects a bug in itself,
// or a write fails for a reason other than the disk. If ctx is done, Run writes the last batch. It
// then returns nil, or the disk's error if the disk rejects the batch. Call it at most once.
func (l *Loop[F]) Run(ctx context.Context, log factlog.Writer) error {
	defer close(l.done)
	written := make(chan error, 1)
	go func() { written <- l.write(ctx, log) }()
	err := l.serve(ctx)
	close(l.full)
	return cmp.Or(<-written, err)
}

func (l *Loop[F]) serve(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	defer func() { l.next.stop() }()
	for {
		if l.grown.Swap(false) {
			l.begin()
		}
		if err := cmp.Or(l.fault, l.Err()); err != nil {
			return failure.New(failure.Internal, "run", l.Name, err)
		}
		stall := l.afterStall(ctx)
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
		case <-stall.begun:
		case <-l.dead:
			return nil
		case c := <-calls:
			l.handle(c)
		case <-l.next.turn(len(l.calls)):
			l.proceed()
		case full <- l.cur:
			l.busy.Add(1)
			l.cur = l.fresh()
			if l.Sent != nil {
				l.Sent()
			}
		case <-tick:
			l.Tick()
		}
	}
}

// fresh returns an empty batch.
func (l *Loop[F]) fresh() *batch {
	select {
	case b := <-l.spare:
		return b
	default:
		return &batch{}
	}
}

// reuse lets the loop use the memory of a written batch again, unless it is large. In a busy
// JobTracker, the memory of new batches would be a twentieth of all allocated bytes.
func (l *Loop[F]) reuse(b *batch) {
	if cap(b.facts) > maxSpare || cap(b.release) > maxRelease {
		return
	}
	clear(b.release)
	*b = batch{facts: b.facts[:0], release: b.release[:0]}
	select {
	case l.spare <- b:
	default:
	}
}

func (b *batch) empty() bool { return len(b.facts) == 0 && len(b.release) == 0 && b.snapshot == nil }

// tooLarge reports whether the batch is so large that the loop must wait for the disk.
func (b *batch) tooLarge() bool { return len(b.facts) >= maxBatch || len(b.release) >= maxRelease }

// Append adds a fact to the batch. If Encode fails, the loop stops and writes nothing more.
func (l *Loop[F]) Append(fact F) {
	before := len(l.cur.facts)
	l.cur.facts = l.encode(l.cur.facts, fact)
	if l.next != nil {
		l.next.later = append(l.next.later, l.cur.facts[before:]...)
	}
}

func (l *Loop[F]) encode(to []byte, fact F) []byte {
	to, err := l.Encode(to, fact)
	if err != nil && l.fault == nil {
		l.fault = err
	}
	return to
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
	if c.taken.Swap(true) {
		return // its caller has given up
	}
	l.next.count()
	c.f()
	if l.settled() {
		close(c.durable)
		return
	}
	l.Later(func() { close(c.durable) })
}

// settled reports whether everything that the machine has decided is durable, so that a call need
// not wait for the writer.
func (l *Loop[F]) settled() bool {
	return l.cur.empty() && l.busy.Load() == 0 && l.fault == nil && l.Err() == nil
}

// Sync waits until the writer has processed all batches that it has received.
func (l *Loop[F]) Sync() {
	l.full <- &batch{}
	l.busy.Add(1)
}

// Do runs f in the loop's goroutine and returns after the state that f saw or made is durable. If
// it returns an error for which [Undecided] is true, f may still run later, or its decisions may
// still become durable. While the disk rejects writes, Do returns the disk's error immediately,
// unless ctx is [Patient].
func (l *Loop[F]) Do(ctx context.Context, f func()) error {
	c := call{f, new(atomic.Bool), make(chan struct{})}
	stall := l.stall.Load()
	begun := stall.begun
	if isPatient(ctx) {
		begun = nil
	}
	select {
	case <-begun: // wait for this instead of a place in the queue
		return l.rejected(stall)
	default:
	}
	select {
	case l.calls <- c: // the usual case costs much less than the select below
	default:
		select {
		case l.calls <- c:
		case <-begun:
			return l.rejected(stall)
		case <-ctx.Done():
			return failure.New(failure.Timeout, "query", l.Name, ctx.Err())
		case <-l.done:
			return l.stopping()
		}
	}
	select {
	case <-c.durable:
		return nil
	case <-begun:
		if !c.taken.Swap(true) {
			return l.rejected(stall)
		}
		select {
		case <-c.durable:
			return nil
		default:
			return undecided{l.rejected(stall)}
		}
	case <-ctx.Done():
		return undecided{failure.New(failure.Timeout, "query", l.Name, ctx.Err())}
	case <-l.done:
	}
	select {
	case <-c.durable: // the last batch included the call
		return nil
	default:
		return undecided{l.stopping()}
	}
}

func (l *Loop[F]) stopping() *failure.Error {
	return failure.New(failure.Unreachable, "query", l.Name, errors.New("it is shutting down")).
		Fix("retry after it restarts")
}

func (l *Loop[F]) rejected(s *stall) *failure.Error {
	return failure.New(failure.KindOf(s.err), "query", l.Name, s.err).
		Fix(l.Name + " continues as soon as it can write its journal")
}

// Ask is like Do, but f returns a result, which Ask returns. If the error is from Do, the caller
// must not use variables that f writes, because f may still run.
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
