package ordered

import (
	"cmp"
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

// A long list loses its first elements without moving the others.
func TestLongListsShrinkInPlace(t *testing.T) {
	var s []int32
	list := Ranking[*int32]{Compare: func(a, b *int32) int { return cmp.Compare(*a, *b) }}
	for i := range int32(3 * longList) {
		s = Insert(s, i)
		list.Put(&i)
	}
	whole, items := s, list.Items
	for i := range int32(longList) {
		s = Remove(s, i)
		list.Take(&i)
	}
	require.Same(t, &whole[longList], &s[0])
	require.Same(t, &items[longList], &list.Items[0])
	require.Nil(t, items[0], "the list holds no element that has left")
	near := s[:0:0]
	near = append(append(near, s[:5]...), s[6:]...)
	whole = s
	s = Remove(s, s[5])
	require.Equal(t, near, s)
	require.Same(t, &whole[1], &s[0], "the shorter part moves")
	for i := range int32(3 * longList) {
		s = Remove(s, i)
		list.Take(&i)
	}
	require.Empty(t, s)
	require.Empty(t, list.Items)
	require.Equal(t, []int32{7}, Insert(s, 7))
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
