package sortio

import (
	"encoding/binary"
	"math"

	"github.com/howdah/howdah/mapreduce"
)

// aggregate is a mapreduce.Aggregation that the table computes itself. For a minimum or maximum, it
// maps each number to a rank, such that the highest rank belongs to the result. A uint64 therefore
// holds an intermediate result of every aggregation, and 0 changes none.
type aggregate struct {
	sums, min, float bool
	shift            uint   // number of bits by which a number is shorter than a rank
	infinity, nan    uint64 // floats of this width, shifted to the left
}

const signBit = 1 << 63

func validAggregation(a mapreduce.Aggregation) bool {
	switch a.Op {
	case 0:
		return a == mapreduce.Aggregation{}
	case mapreduce.OpSum:
		return !a.Float && (a.Width == 4 || a.Width == 8)
	case mapreduce.OpMin, mapreduce.OpMax:
		return a.Width == 4 || a.Width == 8
	}
	return false
}

func newAggregate(of mapreduce.Aggregation) aggregate {
	a := aggregate{sums: of.Op == mapreduce.OpSum, min: of.Op == mapreduce.OpMin, float: of.Float,
		shift: uint(64 - 8*of.Width), infinity: 0x7ff0 << 48, nan: 0x7ff8 << 48}
	if of.Width == 4 {
		a.infinity, a.nan = 0x7f80<<48, 0x7fc0<<48
	}
	return a
}

// best returns the higher of so, a rank, and the rank of the number x. It is not inlined, because
// that would make sums slower.
//
//go:noinline
func (a *aggregate) best(so, x uint64) uint64 { return max(so, a.rank(x)) }

// settle merges the intermediate result so into acc, a number.
func (a *aggregate) settle(acc []byte, so uint64) {
	x := number(acc)
	if a.sums {
		x += so
	} else {
		x = a.number(a.best(so, x))
	}
	if len(acc) == 4 {
		binary.BigEndian.PutUint32(acc, uint32(x))
	} else {
		binary.BigEndian.PutUint64(acc, x)
	}
}

// rank returns the rank of the number x. The rank of NaN is the highest. The bits of x to the left of
// the number do not matter.
func (a *aggregate) rank(x uint64) uint64 {
	x <<= a.shift
	switch {
	case a.float && x&^signBit > a.infinity:
		return math.MaxUint64
	case a.float && x&signBit != 0:
		x = ^x
	default:
		x ^= signBit
	}
	if a.min {
		x = ^x
	}
	return x
}

// number returns the number with the given rank. Every NaN becomes the same, as in
// mapreduce.CodecOf.
func (a *aggregate) number(rank uint64) uint64 {
	if a.float && rank == math.MaxUint64 {
		return a.nan >> a.shift
	}
	if a.min {
		rank = ^rank
	}
	if a.float && rank&signBit == 0 {
		return ^rank >> a.shift
	}
	return (rank ^ signBit) >> a.shift
}

// number decodes the bits of a number of 4 or 8 bytes.
func number(b []byte) uint64 {
	if len(b) == 4 {
		return uint64(binary.BigEndian.Uint32(b))
	}
	return binary.BigEndian.Uint64(b)
}

// aggregate is Config.CombineInPlace for numbers of t.width bytes.
func (t *table) aggregate(acc, value []byte) bool {
	if len(acc) != t.width || len(value) != t.width {
		return false
	}
	x := number(value)
	if !t.agg.sums {
		x = t.agg.best(0, x)
	}
	t.agg.settle(acc, x)
	return true
}
