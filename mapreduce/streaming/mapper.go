package streaming

import (
	"iter"

	"github.com/howdah/howdah/mapreduce"
)

// mapper is a Mapper that runs a command.
type mapper struct {
	side *side
	pump *pump
}

// Setup starts the command.
func (m *mapper) Setup(c *mapreduce.Context) (err error) {
	m.pump, err = newPump(c, m.side)
	return err
}

// Map passes a record to the command.
func (m *mapper) Map(_ *mapreduce.Context, key, value []byte, out mapreduce.Emitter) error {
	if m.pump.drained == nil {
		m.pump.feed(out)
	}
	return m.pump.write(key, value)
}

// Cleanup waits until the command ends. The command's output counts even if the command received no
// input.
func (m *mapper) Cleanup(_ *mapreduce.Context, out mapreduce.Emitter) error {
	if m.pump.drained == nil {
		m.pump.feed(out)
	}
	return m.pump.finish()
}

// Close ends the command if the attempt has failed.
func (m *mapper) Close() { m.pump.close() }

// reducer is a Reducer that runs a command. The command reads one record per value, preceded by the
// key, and detects the groups itself.
type reducer struct {
	side *side
	pump *pump
	c    *mapreduce.Context
	key  []byte
	err  error
	step func([]byte) bool // created once, because a range loop would allocate one per group
}

// Setup starts the command, even if the reducer has no input.
func (r *reducer) Setup(c *mapreduce.Context) (err error) {
	r.c, r.step = c, r.one
	r.pump, err = newPump(c, r.side)
	return err
}

// Reduce passes a group to the command.
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
		r.key = k // with a grouping comparator, the key can change from value to value
	}
	r.err = r.pump.write(r.key, value)
	return r.err == nil
}

// Cleanup waits until the command ends. As in Hadoop, the output of a reducer without input is
// discarded.
func (r *reducer) Cleanup(_ *mapreduce.Context, _ mapreduce.Emitter) error { return r.pump.finish() }

// Close ends the command if the attempt has failed.
func (r *reducer) Close() { r.pump.close() }

// combiner runs a command as a combiner, once per sorted part of a spill.
type combiner struct {
	mapreduce.Reducer // nil, because the engine calls only CombineRun
	side              *side
}

// CombineRun starts the command, passes the records to the command, and emits the command's output
// to out.
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
