package loop

import "github.com/howdah/howdah/internal/factlog"

// write makes batches durable in order and then releases their functions, until the loop closes the
// channel. After a disk failure it releases nothing, and the error ends the daemon. After a restart,
// the machine has exactly the facts that the disk stored.
func (l *Loop[F]) write(log factlog.Writer) error {
	var failed error
	for b := range l.full {
		if failed != nil {
			continue
		}
		if failed = l.commit(log, b); failed != nil {
			close(l.dead)
		} else if log.Grown() {
			l.grown.Store(true)
		}
	}
	return failed
}

func (l *Loop[F]) commit(log factlog.Writer, b *batch) error {
	var err error
	switch {
	case b.rotate:
		if l.BeforeRotate != nil {
			l.BeforeRotate()
		}
		err = log.Rotate(b.facts)
	case len(b.facts) > 0:
		err = log.Append(b.facts)
	}
	if err != nil {
		return err
	}
	for _, f := range b.release {
		f()
	}
	return nil
}
