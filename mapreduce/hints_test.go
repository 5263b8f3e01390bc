package mapreduce

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSumInPlaceIsSum(t *testing.T) {
	long := func(v int64) []byte { return appendLong(nil, v) }
	s := Sum[int64]().New().(InPlaceCombiner)
	acc := long(40)
	require.True(t, s.CombineInPlace(acc, long(2)))
	require.Equal(t, long(42), acc)
	require.False(t, s.CombineInPlace(acc, []byte("short")))
	require.False(t, s.CombineInPlace(acc[:4], long(1)))
	require.Equal(t, long(42), acc)
	acc = long(1<<63 - 1)
	require.True(t, s.CombineInPlace(acc, long(1)), "whole numbers wrap around")
	require.Equal(t, long(-1<<63), acc)
}

// TestAggregations checks what the engine aggregates itself: everything but sums of floats, which
// depend on the order.
func TestAggregations(t *testing.T) {
	for want, classes := range map[Aggregation][]ReducerClass{
		{OpSum, 4, false}: {Sum[int32]()}, {OpSum, 8, false}: {Sum[int](), Sum[int64]()},
		{OpMin, 4, false}: {Min[int32]()}, {OpMin, 8, false}: {Min[int](), Min[int64]()},
		{OpMax, 4, false}: {Max[int32]()}, {OpMax, 8, false}: {Max[int](), Max[int64]()},
		{OpMin, 4, true}: {Min[float32]()}, {OpMin, 8, true}: {Min[float64]()},
		{OpMax, 4, true}: {Max[float32]()}, {OpMax, 8, true}: {Max[float64]()},
		{}: {Sum[float32](), Sum[float64]()}} {
		for _, c := range classes {
			require.Equal(t, want, c.New().(Aggregator).Aggregation())
		}
	}
}
