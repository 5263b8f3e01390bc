package daemon

import (
	"context"
	"errors"
	"time"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/journal"
)

// factLog is where facts become durable: journal.Journal.
type factLog interface {
	Append(facts []byte) error
	Rotate(snapshot []byte) error
	Grown() bool
}

// owner runs the machine: one goroutine steps it and makes the facts durable before anybody hears of them. Most inputs are
// reports that change nothing, so nothing is written for them; those that wait together share one write.
type owner struct {
	m     *mrcluster.Machine
	log   factLog
	clock *clock
	calls chan call
	done  chan struct{} // closed when the owner has ended

	fact  func(*mrcluster.Fact)   // hears every fact, before it is durable
	order func(*mrcluster.Output) // hears OutLoad and OutSave

	facts []mrcluster.Fact // of this batch
	outs  []mrcluster.Output
	req   uint64
}

// call is something to do between two steps of the machine, by one or more steps of its own.
type call struct {
	do      func()
	durable chan struct{} // closed when what do decided is durable
}

const (
	// maxCalls bounds the queue in front of the owner; callers wait behind it as long as their deadlines let them.
	maxCalls = 4096
	// maxBatch bounds how many calls share one write.
	maxBatch = 256
	// lookEvery is how often the owner looks at the clock.
	lookEvery = 100 * time.Millisecond
)

func newOwner(m *mrcluster.Machine, c *clock) *owner {
	return &owner{m: m, clock: c, calls: make(chan call, maxCalls), done: make(chan struct{})}
}

// run serves until ctx ends, the journal cannot be written or the machine finds a bug in itself. first is what Recovered put out.
func (o *owner) run(ctx context.Context, first []mrcluster.Output) error {
	defer close(o.done)
	o.take(first)
	if err := o.commit(nil); err != nil {
		return err
	}
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		var batch []call
		select {
		case <-ctx.Done():
			return nil
		case c := <-o.calls:
			o.clock.look()
			batch = o.batch(c)
		case <-ticker.C:
			o.clock.look()
			if o.m.NextDeadline() <= o.clock.now() {
				o.step(mrcluster.Input{Kind: mrcluster.InTick})
			}
		}
		if err := o.commit(batch); err != nil {
			return err
		}
	}
}

// batch does a call and those that wait behind it.
func (o *owner) batch(c call) []call {
	c.do()
	batch := []call{c}
	for range min(len(o.calls), maxBatch) {
		c := <-o.calls
		c.do()
		batch = append(batch, c)
	}
	return batch
}

// step hands an input to the machine and gives its reply. It is called in the owner's goroutine, by a call's do.
func (o *owner) step(in mrcluster.Input) mrcluster.Output {
	o.req++
	in.Now, in.Req = o.clock.now(), o.req
	o.outs = o.m.Step(&in, o.outs[:0])
	return o.take(o.outs)
}

// take files what a step put out and gives the reply that is among it.
func (o *owner) take(outs []mrcluster.Output) (reply mrcluster.Output) {
	for i := range outs {
		switch out := &outs[i]; out.Kind {
		case mrcluster.OutFact:
			o.facts = append(o.facts, *out.Fact)
			o.fact(out.Fact)
		case mrcluster.OutReply:
			reply = *out
		default:
			o.order(out)
		}
	}
	return reply
}

// commit makes the batch's facts durable and lets its calls go on. After an error nothing is let out: a restart knows exactly
// what the disk kept.
func (o *owner) commit(batch []call) error {
	if err := o.m.Err(); err != nil {
		return failure.New(failure.Internal, "run", "manager", err)
	}
	if err := o.write(); err != nil {
		return err
	}
	for _, c := range batch {
		close(c.durable)
	}
	return nil
}

func (o *owner) write() error {
	if len(o.facts) == 0 {
		return nil
	}
	text, err := journal.Encode(nil, o.facts...)
	if err != nil {
		return err
	}
	o.facts = o.facts[:0]
	if err := o.log.Append(text); err != nil {
		return err
	}
	if !o.log.Grown() {
		return nil
	}
	if text, err = journal.Encode(text[:0], o.m.Snapshot()); err != nil {
		return err
	}
	return o.log.Rotate(text)
}

// ask lets the owner do something and returns when what it decided is durable. Without an error do was called.
func (o *owner) ask(ctx context.Context, do func()) error {
	c := call{do, make(chan struct{})}
	select {
	case o.calls <- c:
	case <-ctx.Done():
		return failure.New(failure.Timeout, "ask", "manager", ctx.Err())
	case <-o.done:
		return stopping()
	}
	select {
	case <-c.durable:
		return nil
	case <-o.done:
	case <-ctx.Done():
		// do may run at any moment now and uses what the caller holds: it is waited for.
		select {
		case <-c.durable:
			return nil
		case <-o.done:
		}
	}
	select {
	case <-c.durable: // with the last batch
		return nil
	default:
		return stopping()
	}
}

func stopping() error {
	return failure.New(failure.Unreachable, "ask", "manager", errors.New("it is shutting down")).Fix("wait until it runs again")
}
