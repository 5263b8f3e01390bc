package loop

import (
	"context"
	"time"

	"github.com/howdah/howdah/internal/factlog"
	"github.com/howdah/howdah/job/failure"
)

// retryEvery is the interval at which the writer repeats a write that the disk has rejected.
const retryEvery = 500 * time.Millisecond

// write makes batches durable in order, and then calls their functions, until the loop closes the
// channel. If it cannot write a batch, it drops that batch and all later ones, because the journal
// must not have gaps. It then returns the error, which stops the daemon.
func (l *Loop[F]) write(ctx context.Context, log factlog.Writer) error {
	var failed error
	rotating := false // the loop has a request for a snapshot
	for b := range l.full {
		if failed != nil {
			continue
		}
		rotated := b.snapshot != nil
		if failed = l.insist(ctx, log, b); failed != nil {
			close(l.dead)
			continue
		}
		l.reuse(b)
		l.busy.Add(-1)
		if rotated {
			rotating = false
		}
		if log.Grown() && !rotating { // otherwise the loop is still working on the snapshot
			rotating = true
			l.grown.Store(true)
		}
	}
	return failed
}

// insist writes a batch. If the disk is full or fails, it repeats the write until the disk accepts
// it or ctx is done.
func (l *Loop[F]) insist(ctx context.Context, log factlog.Writer, b *batch) error {
	err := l.commit(log, b)
	if !passing(err) {
		return err
	}
	l.report(err)
	stall := l.stall.Load()
	stall.begin(err)
	for passing(err) {
		select {
		case <-ctx.Done():
			return err
		case <-time.After(retryEvery):
		}
		err = l.commit(log, b)
	}
	l.stall.Store(newStall())
	close(stall.over)
	l.report(err)
	return err
}

// passing reports whether the cause of a write error can disappear without a restart.
func passing(err error) bool { return failure.Is(err, failure.DiskFull) || failure.Is(err, failure.IO) }

func (l *Loop[F]) report(err error) {
	if l.Disk != nil {
		l.Disk(err)
	}
}

func (l *Loop[F]) commit(log factlog.Writer, b *batch) error {
	if err := l.store(log, b); err != nil {
		return err
	}
	for _, f := range b.release {
		f()
	}
	return nil
}

// store begins a new journal with the batch's snapshot. Without a snapshot, or if that fails, it
// appends the facts to the current journal.
func (l *Loop[F]) store(log factlog.Writer, b *batch) error {
	if b.snapshot != nil {
		if l.rotate(log, b) == nil {
			return nil
		}
		b.snapshot = nil // a later batch will have a new snapshot
	}
	if len(b.facts) == 0 {
		return nil
	}
	return log.Append(b.facts)
}

func (l *Loop[F]) rotate(log factlog.Writer, b *batch) error {
	if l.BeforeRotate != nil {
		if err := l.BeforeRotate(); err != nil {
			return err
		}
	}
	return log.Rotate(append(b.snapshot, b.facts[b.included:])...)
}
