package daemon

import (
	"context"
	"time"

	"github.com/howdah/howdah/internal/factlog"
	"github.com/howdah/howdah/internal/loop"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/jobtracker/history"
)

// owner steps the state machine and passes its outputs on.
type owner struct {
	*loop.Loop[*event.Event]
	m     *jobtracker.Machine
	clock *clock

	// fact receives every fact in the owner's goroutine, before the fact is durable. out receives all
	// other outputs except replies, and returns a function to run after the step is durable.
	fact func(*event.Event)
	out  func(*jobtracker.Output) func()
	// report receives every report of a tracker before the machine does.
	report func(*heartbeat.Report)
	// record receives every input, for --record-inputs. nil means no recording.
	record *recorder

	pauses pauses
	req    uint64
	outs   []jobtracker.Output
}

func newOwner(m *jobtracker.Machine, c *clock) *owner {
	o := &owner{m: m, clock: c}
	o.Loop = loop.New(loop.Machine[*event.Event]{Name: "the JobTracker",
		Encode: history.AppendRecord, Snapshot: m.Freeze,
		Err: m.Err, Tick: o.tick, UntilTick: o.untilTick, Sent: func() { o.record.flush() }})
	return o
}

// run steps the machine and writes to j until ctx ends. first holds the outputs of Recovered.
func (o *owner) run(ctx context.Context, first []jobtracker.Output, j factlog.Writer) error {
	o.take(first)
	return o.Run(ctx, j)
}

// untilTick returns the time until the machine's next deadline, or until the next reading of the
// clock, which detects pauses.
func (o *owner) untilTick() time.Duration {
	at := o.pauses.last + beatEvery.Milliseconds()
	if due := o.m.NextDeadline(); due != 0 {
		at = min(at, due)
	}
	return max(time.Duration(at-o.clock.now())*time.Millisecond, time.Millisecond)
}

// tick processes due deadlines. After a pause of the process it first processes the calls that
// arrived during the pause. Then it extends deadlines, because the process could not receive
// heartbeats.
func (o *owner) tick() {
	if gap := o.pauses.look(o.clock.now()); gap > 0 {
		o.Drain()
		o.step(&jobtracker.Input{Kind: jobtracker.InGrace, Millis: gap})
	}
	if due := o.m.NextDeadline(); due != 0 && due <= o.clock.now() {
		o.step(&jobtracker.Input{Kind: jobtracker.InTick})
	}
}

// step passes an input to the machine and returns the reply, which is valid until the next step. It
// returns nil if the input requests no reply.
func (o *owner) step(in *jobtracker.Input) *jobtracker.Output {
	in.Now = o.clock.now()
	o.record.input(in)
	if in.Report != nil {
		o.report(in.Report)
	}
	o.outs = o.m.Step(in, o.outs[:0])
	return o.take(o.outs)
}

// take adds a step's outputs to the batch and returns the reply among them. Facts become durable
// first, and the other outputs follow.
func (o *owner) take(outs []jobtracker.Output) (reply *jobtracker.Output) {
	for i := range outs {
		switch out := &outs[i]; out.Kind {
		case jobtracker.OutFact:
			o.Append(out.Event)
			o.fact(out.Event)
		case jobtracker.OutReply:
			reply = out
		default:
			o.Later(o.out(out))
		}
	}
	return reply
}

// input steps the machine and converts the reply. It returns errors from the machine unchanged.
func input[T any](ctx context.Context, o *owner, in *jobtracker.Input, convert func(*jobtracker.Output) T) (T, error) {
	return inputIf(ctx, o, func(*jobtracker.Machine) error { return nil }, in, convert)
}

// inputIf works like input, but if check returns an error, it returns that error and does not step
// the machine.
func inputIf[T any](ctx context.Context, o *owner, check func(*jobtracker.Machine) error, in *jobtracker.Input,
	convert func(*jobtracker.Output) T) (T, error) {
	return loop.Ask(ctx, o.Loop, func() (none T, err error) {
		if err := check(o.m); err != nil {
			return none, err
		}
		o.req++
		in.Req = o.req
		out := o.step(in)
		if out.Err != nil {
			return none, out.Err
		}
		return convert(out), nil
	})
}

// look reads the machine between two steps. When it returns, the state that f saw is durable.
func look[T any](ctx context.Context, o *owner, f func(*jobtracker.Machine) (T, error)) (T, error) {
	return loop.Ask(ctx, o.Loop, func() (T, error) { return f(o.m) })
}

// Place implements policies.Machine.
func (o *owner) Place(ctx context.Context, in *jobtracker.Input, placed func()) error {
	_, err := input(ctx, o, in, func(*jobtracker.Output) struct{} {
		if placed != nil {
			placed()
		}
		return struct{}{}
	})
	return err
}

// Slots implements policies.Machine.
func (o *owner) Slots(ctx context.Context) [2]int32 {
	slots, _ := look(ctx, o, func(m *jobtracker.Machine) ([2]int32, error) { return m.Cluster().Slots, nil })
	return slots
}

func busy(ctx context.Context) error {
	return failure.New(failure.Timeout, "query", "the JobTracker", ctx.Err())
}
