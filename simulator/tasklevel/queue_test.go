package tasklevel

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestQueueGivesTheFirst(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	q, now := newQueue(), int64(-1_000_000)
	var want []ending // in insertion order
	for i := range 5000 {
		if r.IntN(3) > 0 || len(want) == 0 {
			x := newEnding(now+r.Int64N(int64(1)<<r.IntN(40)), uint64(i), place(r.IntN(1<<placeBits)))
			q.push(x)
			want = append(want, x)
			continue
		}
		k := 0
		for n := range want {
			if want[n].at < want[k].at {
				k = n
			}
		}
		now = want[k].at
		require.Equal(t, now, q.first)
		require.Equal(t, want[k], q.pop())
		if want = slices.Delete(want, k, k+1); len(want) == 0 {
			require.EqualValues(t, never, q.first)
		}
	}
}
