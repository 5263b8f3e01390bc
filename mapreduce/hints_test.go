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

// TestOnlyIntegersHaveAWidth checks that the engine adds integers itself, but not floats, whose sum
// depends on the order.
func TestOnlyIntegersHaveAWidth(t *testing.T) {
	for want, classes := range map[int][]ReducerClass{4: {Sum[int32]()}, 8: {Sum[int](), Sum[int64]()},
		0: {Sum[float32](), Sum[float64]()}} {
		for _, c := range classes {
			require.Equal(t, want, c.New().(IntegerSummer).IntegerWidth())
		}
	}
}
