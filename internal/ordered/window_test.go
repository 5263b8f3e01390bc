package ordered

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// A window is a map, whatever the order of the numbers and the distances between them.
func TestWindowIsAMap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	at := []int32{math.MinInt32, -2 * widest, widest + 3, 3 * widest, math.MaxInt32}
	for n := int32(-25); n < 45; n++ {
		at = append(at, n)
	}
	var w Window[int]
	want := map[int32]*int{}
	for range 5000 {
		n := at[r.IntN(len(at))]
		if r.IntN(2) == 0 {
			w.Put(n, new(int))
			want[n] = w.Get(n)
			require.NotNil(t, want[n])
		} else {
			w.Delete(n)
			delete(want, n)
		}
		for _, n := range at {
			require.Same(t, want[n], w.Get(n))
		}
		if len(want) == 0 {
			require.Empty(t, w.items)
			require.Empty(t, w.far)
		}
		require.LessOrEqual(t, len(w.items), widest)
	}
	w.Put(1, new(int))
	w.Clear()
	require.Nil(t, w.Get(1))
}
