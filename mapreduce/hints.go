package mapreduce

import "iter"

// ExactComparator is implemented by comparators that call two keys equal only if they are the same bytes. The sorter then
// may bring values of one key together before it sorts. A comparator without the method is taken as not exact.
type ExactComparator interface {
	Comparator
	Exact() bool
}

// DeepComparator is implemented by comparators whose order is that of bytes, so that keys with a long common beginning are
// sorted fast as well. PrefixAt is Prefix without the first skip bytes of what is compared: for keys that agree in these,
// PrefixAt(a, skip) < PrefixAt(b, skip) implies Compare(a, b) < 0. Past the end it is 0.
type DeepComparator interface {
	Comparator
	PrefixAt(key []byte, skip int) uint64
}

// InPlaceCombiner is implemented by combiners whose result can take the place of a value. CombineInPlace does for acc and
// value, in that order, what Reduce does for two values, and leaves the result in acc. False means that it cannot and that
// acc is as it was. It is called without Setup and may be called any number of times between calls of Reduce.
type InPlaceCombiner interface {
	Reducer
	CombineInPlace(acc, value []byte) bool
}

// RunCombiner is implemented by combiners that take the sorted records of a partition at once, such as a process that is fed:
// Reduce is never called then. What CombineRun emits may come in any order, and from another goroutine until it returns. It is
// called any number of times.
type RunCombiner interface {
	Reducer
	CombineRun(c *Context, records iter.Seq2[[]byte, []byte], out Emitter) error
}

func (textType) Exact() bool    { return true }
func (bytesType) Exact() bool   { return true }
func (intType) Exact() bool     { return true }
func (longType) Exact() bool    { return true }
func (shortType) Exact() bool   { return true }
func (byteType) Exact() bool    { return true }
func (md5Type) Exact() bool     { return true }
func (intPairType) Exact() bool { return true }

func (textType) PrefixAt(b []byte, skip int) uint64  { return prefixAt(textBody(b), skip) }
func (bytesType) PrefixAt(b []byte, skip int) uint64 { return prefixAt(bytesBody(b), skip) }

func prefixAt(b []byte, skip int) uint64 { return prefix8(b[min(skip, len(b)):]) }
