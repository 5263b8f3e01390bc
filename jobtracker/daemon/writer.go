package daemon

// factLog is where facts become durable: journal.Journal.
type factLog interface {
	Append(facts []byte) error
	Rotate(snapshot []byte) error
	Grown() bool
}

// write makes batches durable in their order and lets out what waited for them, until the owner closes the channel. If the
// disk fails nothing more is let out and the error ends the daemon: a restart knows exactly what the disk kept.
func (o *owner) write(j factLog) error {
	var failed error
	for b := range o.full {
		if failed != nil {
			continue
		}
		if failed = o.commit(j, b); failed != nil {
			close(o.dead)
		} else if j.Grown() {
			o.grown.Store(true)
		}
	}
	return failed
}

func (o *owner) commit(j factLog, b *batch) error {
	var err error
	switch {
	case b.rotate:
		o.beforeRotate()
		err = j.Rotate(b.facts)
	case len(b.facts) > 0:
		err = j.Append(b.facts)
	}
	if err != nil {
		return err
	}
	for _, f := range b.release {
		f()
	}
	return nil
}
