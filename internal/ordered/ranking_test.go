package ordered

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whichever members leave their places, Merge sorts the list and keeps all members.
func TestMerge(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	list := Ranking[int]{Compare: cmp.Compare[int]}
	list.Merge(nil)
	for range 2000 {
		var out, rest []int
		for x := range r.IntN(40) {
			if r.IntN(3) == 0 {
				out = append(out, x)
			} else {
				rest = append(rest, x)
			}
		}
		r.Shuffle(len(out), func(i, k int) { out[i], out[k] = out[k], out[i] })
		list.Items = append(make([]int, len(out)), rest...)
		want := slices.Sorted(slices.Values(append(slices.Clone(out), rest...)))
		list.Merge(out)
		require.Equal(t, want, append([]int(nil), list.Items...))
	}
}

// A long list is in order whichever of its ends shrinks and grows, and it uses the room at its front.
func TestLongRanking(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	list := Ranking[int]{Compare: cmp.Compare[int]}
	want := map[int]bool{}
	moves := 0
	for step := range 40_000 {
		x := r.IntN(20)
		if r.IntN(4) == 0 {
			x = r.IntN(10 * longList)
		}
		had := want[x]
		first := &x
		if len(list.Items) > 0 {
			first = &list.Items[0]
		}
		if had {
			list.Take(x)
			delete(want, x)
		} else {
			list.Put(x)
			want[x] = true
		}
		if len(list.Items) > longList && &list.Items[0] != first {
			moves++
		}
		if step%100 == 0 {
			require.Equal(t, Keys(want), append([]int{}, list.Items...))
		}
	}
	require.Greater(t, moves, 10_000)
}
