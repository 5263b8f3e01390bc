package mapreduce

import (
	"iter"
	"math"

	"github.com/howdah/howdah/internal/heap"
	"github.com/howdah/howdah/job/failure"
)

// Out receives the output records of typed mappers and reducers. Only the goroutine that received
// an Out may use it.
type Out[K, V any] struct {
	key  Codec[K]
	val  Codec[V]
	kbuf []byte
	vbuf []byte
	to   Emitter
	err  error

	// add tries to emit a record with adder. It is nil if K and V do not support that.
	add   func(adder Adder, key K, value V) bool
	adder Adder // nil means that to has none
}

func newOut[K, V any](key Codec[K], val Codec[V]) Out[K, V] {
	o := Out[K, V]{key: key, val: val}
	for _, f := range []any{addText[int32](4), addText[int64](8), addText[int](8)} {
		if f, ok := f.(func(Adder, K, V) bool); ok {
			o.add = f
		}
	}
	return o
}

// addText returns a function that emits a Text and an integer of width bytes with an Adder. The length
// of a short Text is a single byte.
func addText[V int | int32 | int64](width int) func(Adder, Text, V) bool {
	return func(a Adder, key Text, value V) bool {
		return len(key) <= math.MaxInt8 && a.Add(byte(len(key)), key, width, uint64(value))
	}
}

// sendTo sets the emitter that receives the next records.
func (o *Out[K, V]) sendTo(to Emitter) {
	o.to = to
	if o.add != nil {
		o.adder = nil
		if a, ok := to.(AddingEmitter); ok {
			o.adder = a.Adder()
		}
	}
}

// Emit emits a record. It copies key and value before it returns. After the first error, it does
// nothing, and the attempt fails when Map, Reduce, or Cleanup returns. Callers therefore do not
// have to check for errors unless a single call emits very many records (see Err).
func (o *Out[K, V]) Emit(key K, value V) {
	if o.err != nil {
		return
	}
	if o.adder != nil && o.add(o.adder, key, value) {
		return
	}
	o.kbuf = o.key.Append(o.kbuf[:0], key)
	o.vbuf = o.val.Append(o.vbuf[:0], value)
	o.err = o.to.Emit(o.kbuf, o.vbuf)
	if len(o.kbuf)+len(o.vbuf) >= dropFrom {
		heap.Drop(&o.kbuf)
		heap.Drop(&o.vbuf)
	}
}

// dropFrom is the size in bytes from which Out drops its copy of a record. It would otherwise keep that
// memory until the task ends, while the sorter or a merge needs memory for the same record.
const dropFrom = 32 << 20

// Err returns the first error that Emit encountered. A loop that emits millions of records in one
// call should check Err and stop on an error.
func (o *Out[K, V]) Err() error { return o.err }

// TypedMapper is a mapper for Go types. It can also implement Setupper, TypedCleanuper, and Closer.
type TypedMapper[KI, VI, KO, VO any] interface {
	Map(c *Context, key KI, value VI, out *Out[KO, VO]) error
}

// TypedReducer is a reducer for Go types. key is the group's first key and does not change during the
// call. values can be iterated only once. A TypedReducer can also implement Setupper,
// TypedCleanuper, and Closer.
type TypedReducer[KI, VI, KO, VO any] interface {
	Reduce(c *Context, key KI, values iter.Seq[VI], out *Out[KO, VO]) error
}

// TypedCleanuper is an optional interface for typed mappers and reducers that emit records or
// release resources after the last record.
type TypedCleanuper[KO, VO any] interface {
	Cleanup(c *Context, out *Out[KO, VO]) error
}

// MapFunc returns a mapper class that calls f. The types of f's parameters determine the Writables
// that the mapper reads and emits; see CodecOf.
func MapFunc[KI, VI, KO, VO any](f func(c *Context, key KI, value VI, out *Out[KO, VO]) error) MapperClass {
	return MapOf(func() mapFunc[KI, VI, KO, VO] { return f })
}

type mapFunc[KI, VI, KO, VO any] func(*Context, KI, VI, *Out[KO, VO]) error

func (f mapFunc[KI, VI, KO, VO]) Map(c *Context, k KI, v VI, out *Out[KO, VO]) error {
	return f(c, k, v, out)
}

// MapOf returns a mapper class for a typed mapper with state. It calls make once per attempt.
func MapOf[M TypedMapper[KI, VI, KO, VO], KI, VI, KO, VO any](make func() M) MapperClass {
	io, types := recordCodecs[KI, VI, KO, VO]()
	return MapperClass{
		New: func() Mapper {
			m := &typedMapper[KI, VI, KO, VO]{typed: io, user: make()}
			m.out = newOut(io.outKey, io.outVal)
			return m
		},
		InKey: types[0], InVal: types[1], Key: types[2], Val: types[3],
	}
}

// ReduceFunc returns a class for a reducer or combiner that calls f.
func ReduceFunc[KI, VI, KO, VO any](f func(c *Context, key KI, values iter.Seq[VI],
	out *Out[KO, VO]) error) ReducerClass {
	return ReduceOf(func() reduceFunc[KI, VI, KO, VO] { return f })
}

type reduceFunc[KI, VI, KO, VO any] func(*Context, KI, iter.Seq[VI], *Out[KO, VO]) error

func (f reduceFunc[KI, VI, KO, VO]) Reduce(c *Context, k KI, vs iter.Seq[VI], out *Out[KO, VO]) error {
	return f(c, k, vs, out)
}

// ReduceOf returns a reducer class for a typed reducer with state. It calls make for each new
// reducer or combiner.
func ReduceOf[R TypedReducer[KI, VI, KO, VO], KI, VI, KO, VO any](make func() R) ReducerClass {
	io, types := recordCodecs[KI, VI, KO, VO]()
	return ReducerClass{
		New: func() Reducer {
			r := &typedReducer[KI, VI, KO, VO]{typed: io, user: make()}
			r.out = Out[KO, VO]{key: io.outKey, val: io.outVal}
			r.values, r.step = r.each, r.one
			return r
		},
		InKey: types[0], InVal: types[1], Key: types[2], Val: types[3],
	}
}

// typed contains the codecs of a mapper's or reducer's records.
type typed[KI, VI, KO, VO any] struct {
	inKey  Codec[KI]
	inVal  Codec[VI]
	outKey Codec[KO]
	outVal Codec[VO]
}

func recordCodecs[KI, VI, KO, VO any]() (typed[KI, VI, KO, VO], [4]Type) {
	var t typed[KI, VI, KO, VO]
	var types [4]Type
	t.inKey, types[0] = codecOrBad[KI]()
	t.inVal, types[1] = codecOrBad[VI]()
	t.outKey, types[2] = codecOrBad[KO]()
	t.outVal, types[3] = codecOrBad[VO]()
	return t, types
}

// badType represents a Go type without a Writable or another invalid record type. Job.Validate
// returns its error.
type badType struct {
	nullType
	err   error
	whole bool // err is complete and needs no context
}

// InvalidType returns a type for the records of an incorrectly composed mapper or reducer. If a job
// uses the type, Job.Validate returns err.
func InvalidType(err error) Type { return badType{err: err, whole: true} }

func codecOrBad[T any]() (Codec[T], Type) {
	c, err := CodecOf[T]()
	if err != nil {
		return c, badType{err: err}
	}
	return c, c.Type
}

type typedMapper[KI, VI, KO, VO any] struct {
	typed[KI, VI, KO, VO]
	user TypedMapper[KI, VI, KO, VO]
	out  Out[KO, VO]
}

func (m *typedMapper[KI, VI, KO, VO]) Setup(c *Context) error { return setup(c, m.user) }
func (m *typedMapper[KI, VI, KO, VO]) Close()                 { closeUser(m.user) }

func (m *typedMapper[KI, VI, KO, VO]) Map(c *Context, key, value []byte, to Emitter) error {
	k, err := m.inKey.Decode(key)
	if err != nil {
		return badRecord("key", err)
	}
	v, err := m.inVal.Decode(value)
	if err != nil {
		return badRecord("value", err)
	}
	m.out.sendTo(to)
	err = m.user.Map(c, k, v, &m.out)
	if m.out.err != nil {
		return m.out.err
	}
	return err
}

func (m *typedMapper[KI, VI, KO, VO]) Cleanup(c *Context, to Emitter) error {
	return cleanup(c, m.user, &m.out, to)
}

type typedReducer[KI, VI, KO, VO any] struct {
	typed[KI, VI, KO, VO]
	user TypedReducer[KI, VI, KO, VO]
	out  Out[KO, VO]

	// values and step are created once, to avoid allocations for each group.
	values iter.Seq[VI]
	step   func([]byte) bool
	raw    iter.Seq[[]byte]
	yield  func(VI) bool
	err    error // error from decoding a value
}

func (r *typedReducer[KI, VI, KO, VO]) Setup(c *Context) error { return setup(c, r.user) }
func (r *typedReducer[KI, VI, KO, VO]) Close()                 { closeUser(r.user) }

func (r *typedReducer[KI, VI, KO, VO]) Reduce(c *Context, key []byte, values iter.Seq[[]byte], to Emitter) error {
	k, err := r.inKey.Decode(key)
	if err != nil {
		return badRecord("key", err)
	}
	r.raw, r.err, r.out.to = values, nil, to
	err = r.user.Reduce(c, k, r.values, &r.out)
	switch {
	case r.err != nil:
		return badRecord("value", r.err)
	case r.out.err != nil:
		return r.out.err
	}
	return err
}

func (r *typedReducer[KI, VI, KO, VO]) each(yield func(VI) bool) {
	r.yield = yield
	r.raw(r.step)
}

func (r *typedReducer[KI, VI, KO, VO]) one(b []byte) bool {
	v, err := r.inVal.Decode(b)
	if err != nil {
		r.err = err
		return false
	}
	return r.yield(v)
}

func (r *typedReducer[KI, VI, KO, VO]) Cleanup(c *Context, to Emitter) error {
	return cleanup(c, r.user, &r.out, to)
}

func setup(c *Context, user any) error {
	if s, ok := user.(Setupper); ok {
		return s.Setup(c)
	}
	return nil
}

func closeUser(user any) {
	if x, ok := user.(Closer); ok {
		x.Close()
	}
}

func cleanup[K, V any](c *Context, user any, out *Out[K, V], to Emitter) error {
	u, ok := user.(TypedCleanuper[K, V])
	if !ok {
		return nil
	}
	out.sendTo(to)
	if err := u.Cleanup(c, out); out.err == nil {
		return err
	}
	return out.err
}

// badRecord returns the error for a key or value whose bytes do not match the type that the job
// declares.
func badRecord(half string, err error) error {
	return failure.New(failure.Corrupt, "read", half+" of a record", err)
}
