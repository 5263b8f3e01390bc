package backlog

import (
	"cmp"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// A search tries the same jobs in the same order as a walk over all jobs.
func TestFindIsAWalk(t *testing.T) {
	type member struct {
		key, need int
		listed    bool
	}
	r := rand.New(rand.NewPCG(1, 2))
	l := List[*member, int]{Compare: func(a, b *member) int { return cmp.Compare(a.key, b.key) }}
	all := make([]*member, 40)
	for i := range all {
		all[i] = &member{key: i, need: r.IntN(4)}
	}
	for range 3000 {
		x := all[r.IntN(len(all))]
		if !x.listed {
			x.need = r.IntN(4)
		}
		l.Set(x, x.need, &x.listed, r.IntN(2) == 0)
		room, stop := r.IntN(5), r.IntN(10)
		var want, got []*member
		for _, x := range all {
			if x.listed && x.need < room && len(want) <= stop {
				want = append(want, x)
			}
		}
		fits := func(need int) bool { return need < room }
		found := l.Find(fits, func(x *member) bool {
			got = append(got, x)
			return len(got) > stop
		})
		require.Equal(t, want, got)
		require.Equal(t, len(want) > stop, found)
	}
	l.Clear()
	require.False(t, l.Find(func(int) bool { return true }, func(*member) bool { return true }))
}

// Groups of needs that no job has any more are reused, so the list does not grow with time.
func TestGroupsAreReused(t *testing.T) {
	l := List[int, int]{Compare: cmp.Compare[int]}
	for need := range 100 {
		listed := false
		l.Set(1, need, &listed, true)
		l.Set(1, need, &listed, false)
	}
	require.Len(t, l.groups, 1)
}
