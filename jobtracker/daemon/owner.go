package daemon

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/howdah/howdah/history"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
)

// owner runs the machine: one goroutine steps it, a second one writes the facts. Whatever a step lets out waits in the batch
// of its facts until those are durable; while one batch is being written the next one grows, so many steps share one fsync.
type owner struct {
	m     *jobtracker.Machine
	clock *clock
	calls chan call
	full  chan *batch
	grown atomic.Bool   // set by the writer: the journal wants a snapshot
	dead  chan struct{} // closed by the writer when the disk failed
	done  chan struct{} // closed when owner and writer have ended

	// fact hears every fact in the owner's goroutine, before it is durable; out gets every output but facts and replies, and
	// returns what to do once the step is durable.
	fact func(*event.Event)
	out  func(*jobtracker.Output) func()
	// record hears every input, for --record-inputs; nil = nobody wants it.
	record *recorder
	// beforeRotate is called by the writer before facts disappear from the journal.
	beforeRotate func()

	pauses pauses
	req    uint64
	cur    *batch
	outs   []jobtracker.Output
	fault  error
}

// call is one thing for the owner to do: an input, or a look at the machine.
type call struct {
	in     *jobtracker.Input
	look   func(*jobtracker.Machine)
	answer func(*jobtracker.Output) func() // called by the owner with the reply; what it returns runs once that is durable
}

// batch is what becomes durable and is let out together.
type batch struct {
	facts   []byte
	release []func()
	rotate  bool // facts begin with a whole snapshot: they are a new journal file
}

const (
	// maxCalls bounds the queue in front of the owner; callers wait behind it as long as their deadlines let them.
	maxCalls = 4096
	// maxBatch and maxRelease stop the owner from stepping on while the disk is that far behind.
	maxBatch   = 4 << 20
	maxRelease = 4096
)

func newOwner(m *jobtracker.Machine, c *clock) *owner {
	return &owner{m: m, clock: c, calls: make(chan call, maxCalls), full: make(chan *batch),
		dead: make(chan struct{}), done: make(chan struct{}), cur: &batch{}}
}

// run steps the machine and writes j until ctx ends. first is what Recovered put out.
func (o *owner) run(ctx context.Context, first []jobtracker.Output, j factLog) error {
	defer close(o.done)
	written := make(chan error, 1)
	go func() { written <- o.write(j) }()
	o.take(first, nil)
	err := o.serve(ctx)
	close(o.full)
	return cmp.Or(<-written, err)
}

// serve is the owner's loop.
func (o *owner) serve(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		calls, full, tick := o.calls, o.full, timer.C
		if o.cur.tooLarge() {
			calls, tick = nil, nil
		}
		if o.cur.empty() {
			full = nil
		}
		select {
		case <-ctx.Done():
			o.full <- o.cur
			return nil
		case <-o.dead:
			return nil
		case c := <-calls:
			o.handle(c)
		case full <- o.cur:
			o.cur = &batch{}
			o.record.flush()
		case <-tick:
			o.tick()
		}
		timer.Reset(o.untilTick())
		if err := cmp.Or(o.fault, o.m.Err()); err != nil {
			return failure.New(failure.Internal, "run", "JobTracker", err)
		}
		if o.grown.Swap(false) {
			o.snapshot()
		}
	}
}

// snapshot turns the batch into one that begins a new journal. The facts in it need not be written: the snapshot has them.
func (o *owner) snapshot() {
	o.cur.facts, o.cur.rotate = o.cur.facts[:0], true
	o.m.Snapshot(o.append)
}

func (b *batch) empty() bool { return len(b.facts) == 0 && len(b.release) == 0 }

// tooLarge tells that the disk is so far behind that the owner has to wait.
func (b *batch) tooLarge() bool { return len(b.facts) >= maxBatch || len(b.release) >= maxRelease }

// untilTick is the time until something in the machine is due, or the next look at the clock by which pauses are noticed.
func (o *owner) untilTick() time.Duration {
	at := o.pauses.last + beatEvery.Milliseconds()
	if due := o.m.NextDeadline(); due != 0 {
		at = min(at, due)
	}
	return max(time.Duration(at-o.clock.now())*time.Millisecond, time.Millisecond)
}

// tick lets due deadlines fire. After a pause of the process what was sent meanwhile is heard first, and deadlines move:
// trackers could not be heard while nobody listened.
func (o *owner) tick() {
	if gap := o.pauses.look(o.clock.now()); gap > 0 {
		for range len(o.calls) {
			o.handle(<-o.calls)
		}
		o.step(&jobtracker.Input{Kind: jobtracker.InGrace, Millis: gap}, nil)
	}
	if due := o.m.NextDeadline(); due != 0 && due <= o.clock.now() {
		o.step(&jobtracker.Input{Kind: jobtracker.InTick}, nil)
	}
}

func (o *owner) handle(c call) {
	if c.look != nil {
		c.look(o.m)
		if c.answer != nil {
			o.later(c.answer(nil))
		}
		return
	}
	o.step(c.in, c.answer)
}

func (o *owner) step(in *jobtracker.Input, answer func(*jobtracker.Output) func()) {
	in.Now = o.clock.now()
	if answer != nil {
		o.req++
		in.Req = o.req
	}
	o.record.input(in)
	o.outs = o.m.Step(in, o.outs[:0])
	o.take(o.outs, answer)
}

// take files what a step put out: facts into the batch, the rest behind them.
func (o *owner) take(outs []jobtracker.Output, answer func(*jobtracker.Output) func()) {
	for i := range outs {
		switch out := &outs[i]; out.Kind {
		case jobtracker.OutFact:
			o.append(out.Event)
			o.fact(out.Event)
		case jobtracker.OutReply:
			if answer != nil {
				o.later(answer(out))
			}
		default:
			o.later(o.out(out))
		}
	}
}

// append adds a fact to the batch. What is too large for a record was let through a limit that should have stopped it.
func (o *owner) append(e *event.Event) {
	facts, err := history.AppendRecord(o.cur.facts, e)
	if err != nil && o.fault == nil {
		o.fault = err
	}
	o.cur.facts = facts
}

func (o *owner) later(f func()) {
	if f != nil {
		o.cur.release = append(o.cur.release, f)
	}
}

// ask hands a call to the owner and waits for its answer to be durable.
func ask[T any](ctx context.Context, o *owner, c call, answer func(*jobtracker.Output) (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	answered := make(chan result, 1)
	c.answer = func(out *jobtracker.Output) func() {
		var r result
		r.value, r.err = answer(out)
		return func() { answered <- r }
	}
	var none T
	select {
	case o.calls <- c:
	case <-ctx.Done():
		return none, busy(ctx)
	case <-o.done:
		return none, errStopping()
	}
	select {
	case r := <-answered:
		return r.value, r.err
	case <-ctx.Done():
		return none, busy(ctx)
	case <-o.done:
	}
	select {
	case r := <-answered: // with the last batch
		return r.value, r.err
	default:
		return none, errStopping()
	}
}

// input steps the machine and converts its reply; an error of the machine goes to the caller as it is.
func input[T any](ctx context.Context, o *owner, in *jobtracker.Input, convert func(*jobtracker.Output) T) (T, error) {
	return ask(ctx, o, call{in: in}, func(out *jobtracker.Output) (T, error) {
		if out.Err != nil {
			var none T
			return none, out.Err
		}
		return convert(out), nil
	})
}

// look reads the machine between two steps. What it saw is durable when look returns.
func look[T any](ctx context.Context, o *owner, f func(*jobtracker.Machine) (T, error)) (T, error) {
	var value T
	var err error
	c := call{look: func(m *jobtracker.Machine) { value, err = f(m) }}
	return ask(ctx, o, c, func(*jobtracker.Output) (T, error) { return value, err })
}

func busy(ctx context.Context) error {
	return failure.New(failure.Timeout, "ask", "JobTracker", ctx.Err())
}

func errStopping() error {
	return failure.New(failure.Unreachable, "ask", "JobTracker", errors.New("it is shutting down")).Fix("wait until it runs again")
}
