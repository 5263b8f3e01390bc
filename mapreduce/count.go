package mapreduce

import (
	"iter"

	"github.com/howdah/howdah/conf"
)

// Count returns a reducer that emits each key with the number of its values, an int64. The values
// can have any type. Count can also be the combiner if the same job's reducer is Count too. The
// maps of such a job emit the int64 1 instead of each value, which is also what the job's
// partitioner sees. The combiner and the reducer add up these numbers.
func Count() ReducerClass {
	return ReducerClass{
		New: func() Reducer {
			r := &counter{}
			r.add = r.one
			return r
		},
		Val: LongWritable,
	}
}

// counter counts the values of each key.
type counter struct {
	add func([]byte) bool
	n   int64
	buf []byte
}

// Reduce emits the group's first key with the number of values.
func (r *counter) Reduce(_ *Context, key []byte, values iter.Seq[[]byte], out Emitter) error {
	r.n = 0
	values(r.add)
	r.buf = appendLong(r.buf[:0], r.n)
	return out.Emit(key, r.buf)
}

func (r *counter) one([]byte) bool {
	r.n++
	return true
}

// counts reports whether c is Count. Only Count knows how to continue with partial counts: a reducer
// that wraps it does not.
func (c ReducerClass) counts() bool {
	if c.New == nil {
		return false
	}
	_, ok := c.New().(*counter)
	return ok
}

// countEarly returns a job with the same results as j, in which maps already count. Count cannot
// distinguish values from partial counts. Therefore, each value becomes the number 1, and the
// combiner and the reducer are sums. If j does not combine with Count, countEarly returns j itself.
func (j *Job) countEarly(c *conf.Config) *Job {
	if !j.Combiner.counts() || !j.Reducer.counts() {
		return j
	}
	own := *j
	own.Combiner, own.Reducer = Sum[int64](), Sum[int64]()
	if j.Mapper.New == nil {
		own.Mapper.InKey, own.Mapper.InVal = j.MapOutputTypes(c) // CheckRecords expects these of an identity
	}
	own.Mapper.Key, own.Mapper.Val = orElse(j.Mapper.Key, own.Mapper.InKey), LongWritable
	own.Mapper.New = func() Mapper { return &countingMapper{own: j.NewMapper()} }
	return &own
}

// countingMapper emits the number 1 instead of each value of another mapper.
type countingMapper struct {
	own Mapper
	out ones
}

// Map implements Mapper.
func (m *countingMapper) Map(c *Context, key, value []byte, out Emitter) error {
	m.out.to = out
	return m.own.Map(c, key, value, &m.out)
}

// Needs implements Selective.
func (m *countingMapper) Needs() []byte {
	if x, ok := m.own.(Selective); ok {
		return x.Needs()
	}
	return nil
}

// Setup implements Setupper.
func (m *countingMapper) Setup(c *Context) error {
	if x, ok := m.own.(Setupper); ok {
		return x.Setup(c)
	}
	return nil
}

// Cleanup implements Cleanuper.
func (m *countingMapper) Cleanup(c *Context, out Emitter) error {
	if x, ok := m.own.(Cleanuper); ok {
		m.out.to = out
		return x.Cleanup(c, &m.out)
	}
	return nil
}

// Close implements Closer.
func (m *countingMapper) Close() {
	if x, ok := m.own.(Closer); ok {
		x.Close()
	}
}

// ones is an Emitter that replaces each value by the number 1.
type ones struct {
	to    Emitter
	adder Adder // the adder of to
}

var one = appendLong(nil, 1)

// Emit implements Emitter.
func (o *ones) Emit(key, _ []byte) error { return o.to.Emit(key, one) }

// Adder implements AddingEmitter.
func (o *ones) Adder() Adder {
	o.adder = nil
	if a, ok := o.to.(AddingEmitter); ok {
		o.adder = a.Adder()
	}
	if o.adder == nil {
		return nil
	}
	return o
}

// Add implements Adder.
func (o *ones) Add(head byte, body []byte, _ int, _ uint64) bool {
	return o.adder.Add(head, body, len(one), 1)
}
