package mapreduce

import (
	"iter"

	"github.com/howdah/howdah/internal/vint"
)

// ExactComparator is an optional interface for comparators. Exact reports whether equal keys always
// have the same bytes. If so, the sorter can group the values by key before it sorts. A comparator
// without this method is not exact.
type ExactComparator interface {
	Comparator
	Exact() bool
}

// DeepComparator is an optional interface for comparators that order keys by the bytes of their
// content, such as the bytes of a Text after its length. It speeds up the sort of keys with long
// common prefixes. PrefixAt is like Prefix but ignores the first skip bytes of the content. It
// returns 0 if the content has no more bytes. For keys that agree in these bytes, PrefixAt(a, skip)
// < PrefixAt(b, skip) implies Compare(a, b) < 0.
type DeepComparator interface {
	Comparator
	PrefixAt(key []byte, skip int) uint64
}

// InPlaceCombiner is an optional interface for combiners that can combine into an existing value.
// CombineInPlace does the same as Reduce for acc and value, in this order, and stores the result in
// acc. If this is impossible, it returns false and leaves acc unchanged. The engine makes these
// calls, any number of times, on a combiner for which it does not call Setup, Cleanup, or Close.
type InPlaceCombiner interface {
	Reducer
	CombineInPlace(acc, value []byte) bool
}

// Aggregator is an optional interface for combiners that aggregate numbers of a fixed width. If
// Aggregation does not return the zero value, Reduce emits one value, the result of this
// aggregation. The engine may then aggregate values itself, in any order, instead of calling the
// combiner.
type Aggregator interface {
	Reducer
	Aggregation() Aggregation
}

// Aggregation describes an aggregation of numbers, in the encoding of CodecOf. Sums of integers wrap
// around on overflow. Minima and maxima of floats are those of Min and Max. The zero value means any
// other operation, for which the engine always calls the combiner.
type Aggregation struct {
	Op    Operation
	Width int  // size of a number in bytes, 4 or 8
	Float bool // the numbers are floats; not for OpSum, because a sum of floats depends on the order
}

// KeyPartitioner is an optional interface for partitioners. ByKey reports whether the partition of a
// record depends only on the bytes of its key. If so, the engine may remember the partition of a key.
type KeyPartitioner interface {
	Partitioner
	ByKey() bool
}

// AddingEmitter is an optional interface for emitters of a map whose combiner aggregates numbers (see
// Aggregator). Adder returns nil if every record must be emitted.
type AddingEmitter interface {
	Emitter
	Adder() Adder
}

// Adder is a shortcut for records with frequent keys. Add does the same as Emit for a key that
// consists of the byte head and body, and a value that is a big-endian number of width bytes. If the
// shortcut does not know the key, Add does nothing and returns false.
type Adder interface {
	Add(head byte, body []byte, width int, value uint64) bool
}

// RunCombiner is an optional interface for combiners that process all sorted records of a partition
// in one call, such as an external process. The engine calls CombineRun any number of times and
// never calls Reduce. CombineRun can emit in any order and from another goroutine, but not after it
// has returned.
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

func (textType) PrefixAt(b []byte, skip int) uint64  { return prefixAt(vint.Body(b), skip) }
func (bytesType) PrefixAt(b []byte, skip int) uint64 { return prefixAt(bytesBody(b), skip) }

func prefixAt(b []byte, skip int) uint64 { return prefix8(b[min(skip, len(b)):]) }
