package ordered

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// A window is a map, whatever the order of the numbers.
func TestWindowIsAMap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var w Window[int]
	want := map[int32]*int{}
	for range 5000 {
		n := int32(r.IntN(60)) - 20
		if r.IntN(2) == 0 {
			w.Put(n, new(int))
			want[n] = w.Get(n)
			require.NotNil(t, want[n])
		} else {
			w.Delete(n)
			delete(want, n)
		}
		for n := int32(-25); n < 45; n++ {
			require.Same(t, want[n], w.Get(n))
		}
		if len(want) == 0 {
			require.Empty(t, w.items)
		}
	}
	w.Put(1, new(int))
	w.Clear()
	require.Nil(t, w.Get(1))
}
