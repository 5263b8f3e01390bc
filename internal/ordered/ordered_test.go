package ordered

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMapsAreWalkedByKey(t *testing.T) {
	m := map[string]int{"c": 3, "a": 1, "b": 2}
	require.Equal(t, []string{"a", "b", "c"}, Keys(m))
	var got []int
	for k, v := range All(m) {
		got = append(got, v)
		if k == "b" {
			break
		}
	}
	require.Equal(t, []int{1, 2}, got)
}

func TestSortedSets(t *testing.T) {
	var s []int32
	for _, v := range []int32{5, 1, 3, 1, 5} {
		s = Insert(s, v)
	}
	require.Equal(t, []int32{1, 3, 5}, s)
	require.True(t, Contains(s, 3))
	require.False(t, Contains(s, 4))
	s = Remove(s, 3)
	s = Remove(s, 4)
	require.Equal(t, []int32{1, 5}, s)
}
