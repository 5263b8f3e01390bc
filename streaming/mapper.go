package streaming

import (
	"iter"

	"github.com/howdah/howdah/mapreduce"
)

// mapper is a command as a Mapper.
type mapper struct {
	side *side
	pump *pump
}

// Setup starts the command.
func (m *mapper) Setup(c *mapreduce.Context) (err error) {
	m.pump, err = newPump(c, m.side)
	return err
}

// Map gives the command a record.
func (m *mapper) Map(_ *mapreduce.Context, key, value []byte, out mapreduce.Emitter) error {
	if m.pump.drained == nil {
		m.pump.feed(out)
	}
	return m.pump.write(key, value)
}

// Cleanup waits for the command's end. What it writes without any input counts as well.
func (m *mapper) Cleanup(_ *mapreduce.Context, out mapreduce.Emitter) error {
	if m.pump.drained == nil {
		m.pump.feed(out)
	}
	return m.pump.finish()
}

// Close ends a command whose attempt has failed.
func (m *mapper) Close() { m.pump.close() }

// reducer is a command as a Reducer: it reads a record for each value, with the key in front, and finds the groups itself.
type reducer struct {
	side *side
	pump *pump
	c    *mapreduce.Context
	key  []byte
	err  error
	step func([]byte) bool // made once: a range loop would make one for every group
}

// Setup starts the command, which may find no input at all.
func (r *reducer) Setup(c *mapreduce.Context) (err error) {
	r.c, r.step = c, r.one
	r.pump, err = newPump(c, r.side)
	return err
}

// Reduce gives the command a group.
func (r *reducer) Reduce(_ *mapreduce.Context, key []byte, values iter.Seq[[]byte], out mapreduce.Emitter) error {
	if r.pump.drained == nil {
		r.pump.feed(out)
	}
	r.key = key
	values(r.step)
	return r.err
}

func (r *reducer) one(value []byte) bool {
	if k := r.c.Key(); k != nil {
		r.key = k // with a grouping comparator it moves on with the values
	}
	r.err = r.pump.write(r.key, value)
	return r.err == nil
}

// Cleanup waits for the command's end. What a reducer without input writes is thrown away, as in Hadoop.
func (r *reducer) Cleanup(_ *mapreduce.Context, _ mapreduce.Emitter) error { return r.pump.finish() }

// Close ends a command whose attempt has failed.
func (r *reducer) Close() { r.pump.close() }

// combiner is a command as a combiner: each sorted part of a spill is a run of the command of its own.
type combiner struct {
	mapreduce.Reducer // nil: whole runs are combined
	side              *side
}

// CombineRun gives the command a run of records.
func (b *combiner) CombineRun(c *mapreduce.Context, records iter.Seq2[[]byte, []byte], out mapreduce.Emitter) error {
	p, err := newPump(c, b.side)
	if err != nil {
		return err
	}
	defer p.close()
	p.feed(out)
	for key, value := range records {
		if err := p.write(key, value); err != nil {
			return err
		}
	}
	return p.finish()
}
