package ordered

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whichever members change, Resort sorts the list and keeps all members.
func TestResort(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	keys := map[int]int{}
	list := Ranking[int]{Compare: func(a, b int) int { return cmp.Or(cmp.Compare(keys[a], keys[b]), cmp.Compare(a, b)) }}
	list.Resort()
	for range 2000 {
		if x := r.IntN(40); len(keys) < 40 && r.IntN(3) > 0 {
			if _, ok := keys[x]; !ok {
				keys[x] = r.IntN(100)
				list.Items = append(list.Items, x)
			}
		}
		for range r.IntN(1 + r.IntN(1+len(list.Items))) {
			keys[list.Items[r.IntN(len(list.Items))]] = r.IntN(100)
		}
		want := slices.Clone(list.Items)
		slices.SortFunc(want, list.Compare)
		list.Resort()
		require.Equal(t, want, list.Items)
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
