package tasklevel

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestQueueGivesTheFirst(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var q queue
	var want []ending
	for i := range 5000 {
		if r.IntN(3) > 0 || len(q) == 0 {
			x := newEnding(r.Int64N(50)-20, uint64(i), place(r.IntN(1<<placeBits)))
			q.push(x)
			want = append(want, x)
			continue
		}
		k := 0
		for n := range want {
			if want[n].before(&want[k]) {
				k = n
			}
		}
		require.Equal(t, want[k], q.pop())
		want = slices.Delete(want, k, k+1)
	}
}
