package mapreduce

import "iter"

// Number is the constraint for types that Sum, Min, and Max can aggregate.
type Number interface {
	int | int32 | int64 | float32 | float64
}

// Operation is the operation of an Aggregation.
type Operation uint8

// The operations. The zero value is none of them.
const (
	OpSum Operation = iota + 1
	OpMin
	OpMax
)

// Sum returns a reducer that emits each key with the sum of its values. It is also a valid
// combiner. Integers wrap around as in Java. Because of rounding, a sum of floats can depend on the
// order of the values.
func Sum[V Number]() ReducerClass { return aggregatorClass[V](OpSum) }

// Min returns a reducer that emits each key with the smallest of its values. It is also a valid
// combiner. Floats compare as in Go's min and Java's Math.min: -0 is smaller than 0, and the result
// is NaN if a value is NaN.
func Min[V Number]() ReducerClass { return aggregatorClass[V](OpMin) }

// Max returns a reducer that emits each key with the largest of its values. It is also a valid
// combiner. Floats compare as in Go's max and Java's Math.max: 0 is larger than -0, and the result
// is NaN if a value is NaN.
func Max[V Number]() ReducerClass { return aggregatorClass[V](OpMax) }

func aggregatorClass[V Number](op Operation) ReducerClass {
	codec, typ := codecOrBad[V]()
	return ReducerClass{
		New: func() Reducer {
			a := &aggregator[V]{codec: codec, op: op}
			a.add = a.one
			return a
		},
		InVal: typ, Val: typ,
	}
}

type aggregator[V Number] struct {
	codec Codec[V]
	op    Operation
	add   func([]byte) bool
	some  bool // the group has a value
	value V    // result for the values so far
	err   error
	buf   []byte
}

// Reduce emits the group's first key with the result for the values.
func (a *aggregator[V]) Reduce(_ *Context, key []byte, values iter.Seq[[]byte], out Emitter) error {
	a.some, a.value, a.err = false, 0, nil
	values(a.add)
	if a.err != nil {
		return badRecord("value", a.err)
	}
	a.buf = a.codec.Append(a.buf[:0], a.value)
	return out.Emit(key, a.buf)
}

func (a *aggregator[V]) one(b []byte) bool {
	v, err := a.codec.Decode(b)
	if err != nil {
		a.err = err
		return false
	}
	if a.some {
		v = a.both(a.value, v)
	}
	a.value, a.some = v, true
	return true
}

// both returns the result for x and y.
func (a *aggregator[V]) both(x, y V) V {
	switch a.op {
	case OpMin:
		return min(x, y)
	case OpMax:
		return max(x, y)
	}
	return x + y
}

// CombineInPlace stores the result for acc and value in acc. It returns false if either of them is
// malformed.
func (a *aggregator[V]) CombineInPlace(acc, value []byte) bool {
	x, err := a.codec.Decode(acc)
	if err != nil {
		return false
	}
	y, err := a.codec.Decode(value)
	if err != nil {
		return false
	}
	a.buf = a.codec.Append(a.buf[:0], a.both(x, y))
	if len(a.buf) != len(acc) {
		return false
	}
	copy(acc, a.buf)
	return true
}

// Aggregation implements Aggregator. It returns the zero value for a sum of floats, which depends on
// the order.
func (a *aggregator[V]) Aggregation() Aggregation {
	switch any(a.value).(type) {
	case int32:
		return Aggregation{Op: a.op, Width: 4}
	case int, int64:
		return Aggregation{Op: a.op, Width: 8}
	}
	if a.op == OpSum {
		return Aggregation{}
	}
	if _, single := any(a.value).(float32); single {
		return Aggregation{Op: a.op, Width: 4, Float: true}
	}
	return Aggregation{Op: a.op, Width: 8, Float: true}
}
