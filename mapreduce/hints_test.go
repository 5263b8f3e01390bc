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
