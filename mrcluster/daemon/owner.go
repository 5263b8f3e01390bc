package daemon

import (
	"context"
	"iter"
	"time"

	"github.com/howdah/howdah/internal/factlog"
	"github.com/howdah/howdah/internal/loop"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/journal"
)

// owner steps the machine and passes on its outputs. Most inputs are reports without changes, which
// require no write.
type owner struct {
	*loop.Loop[*mrcluster.Fact]
	m     *mrcluster.Machine
	log   factlog.Writer
	clock *clock

	fact  func(*mrcluster.Fact)   // called with every fact, before the fact is durable
	order func(*mrcluster.Output) // called with every OutLoad and OutSave

	outs   []mrcluster.Output
	req    uint64
	ticked time.Time // time of the last tick
}

// lookEvery is the interval at which the owner reads the clock.
const lookEvery = 100 * time.Millisecond

func newOwner(m *mrcluster.Machine, c *clock) *owner {
	o := &owner{m: m, clock: c}
	o.Loop = loop.New(loop.Machine[*mrcluster.Fact]{Name: "the manager", Err: m.Err,
		Encode: func(to []byte, f *mrcluster.Fact) ([]byte, error) { return journal.Encode(to, *f) },
		Snapshot: func() iter.Seq[*mrcluster.Fact] {
			return func(yield func(*mrcluster.Fact) bool) { f := m.Snapshot(); yield(&f) }
		},
		Tick: o.tick, UntilTick: func() time.Duration { return time.Until(o.ticked.Add(lookEvery)) }, Sent: o.await})
	return o
}

// run serves until ctx ends, a write to the journal fails, or the machine detects a bug in itself.
// first is the output of Recovered.
func (o *owner) run(ctx context.Context, first []mrcluster.Output) error {
	o.take(first)
	return o.Run(ctx, o.log)
}

func (o *owner) tick() {
	o.ticked = time.Now()
	o.clock.look()
	if o.m.NextDeadline() <= o.clock.now() {
		o.step(mrcluster.Input{Kind: mrcluster.InTick})
	}
}

// await waits for the disk, so that the clock counts a long write as a pause. During the write,
// agents wait for replies and send no more reports. The calls that have arrived share the next
// write.
func (o *owner) await() {
	o.Sync()
	o.Drain()
}

// step passes an input to the machine and returns the machine's reply. Only the owner's goroutine
// may use it.
func (o *owner) step(in mrcluster.Input) mrcluster.Output {
	o.req++
	in.Now, in.Req = o.clock.now(), o.req
	o.outs = o.m.Step(&in, o.outs[:0])
	return o.take(o.outs)
}

// try passes an input to the machine and returns the machine's error.
func (o *owner) try(in mrcluster.Input) error {
	if out := o.step(in); out.Err != nil {
		return out.Err
	}
	return nil
}

// take adds the facts among the outputs to the batch, passes on the copies to order, and returns
// the reply.
func (o *owner) take(outs []mrcluster.Output) (reply mrcluster.Output) {
	for i := range outs {
		switch out := &outs[i]; out.Kind {
		case mrcluster.OutFact:
			o.Append(out.Fact)
			o.fact(out.Fact)
		case mrcluster.OutReply:
			reply = *out
		default:
			o.order(out)
		}
	}
	return reply
}

// ask runs do in the owner's goroutine. It returns the results of do once the decisions that do
// caused are durable. If ctx ends first, do can still run, so the caller must not use variables
// that do writes.
func ask[T any](ctx context.Context, o *owner, do func() (T, error)) (T, error) {
	return loop.Ask(ctx, o.Loop, func() (T, error) {
		o.clock.look()
		return do()
	})
}
