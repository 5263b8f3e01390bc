package mapreduce

import "iter"

// Number is the constraint for types that Sum can add.
type Number interface {
	int | int32 | int64 | float32 | float64
}

// Sum returns a reducer that emits each key with the sum of its values. It is also a valid
// combiner. Integers wrap around as in Java. Because of rounding, a sum of floats can depend on the
// order of the values.
func Sum[V Number]() ReducerClass {
	codec, typ := codecOrBad[V]()
	return ReducerClass{
		New: func() Reducer {
			s := &summer[V]{codec: codec}
			s.add = s.one
			return s
		},
		InVal: typ, Val: typ,
	}
}

type summer[V Number] struct {
	codec Codec[V]
	add   func([]byte) bool
	sum   V
	err   error
	buf   []byte
}

// Reduce emits the group's first key with the sum of the values.
func (s *summer[V]) Reduce(_ *Context, key []byte, values iter.Seq[[]byte], out Emitter) error {
	s.sum, s.err = 0, nil
	values(s.add)
	if s.err != nil {
		return badRecord("value", s.err)
	}
	s.buf = s.codec.Append(s.buf[:0], s.sum)
	return out.Emit(key, s.buf)
}

func (s *summer[V]) one(b []byte) bool {
	v, err := s.codec.Decode(b)
	if err != nil {
		s.err = err
		return false
	}
	s.sum += v
	return true
}

// CombineInPlace adds value to acc. It returns false if either of them is malformed.
func (s *summer[V]) CombineInPlace(acc, value []byte) bool {
	a, err := s.codec.Decode(acc)
	if err != nil {
		return false
	}
	b, err := s.codec.Decode(value)
	if err != nil {
		return false
	}
	s.buf = s.codec.Append(s.buf[:0], a+b)
	if len(s.buf) != len(acc) {
		return false
	}
	copy(acc, s.buf)
	return true
}

// IntegerWidth returns the number of bytes of the integers that s adds. It returns 0 for floats,
// whose sum depends on the order.
func (s *summer[V]) IntegerWidth() int {
	switch any(s.sum).(type) {
	case int32:
		return 4
	case int, int64:
		return 8
	}
	return 0
}
