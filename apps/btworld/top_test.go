package btworld

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/mapreduce/mrtest"
)

// TestTop checks that the best entries of a group do not depend on the order in which entries
// arrive.
func TestTop(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for range 300 {
		k, all := 1+r.IntN(6), make([]ranked, r.IntN(30))
		for i := range all {
			all[i] = ranked{r.Int64N(8), fmt.Appendf(nil, "n%d", i)}
		}
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		cut := r.IntN(len(all) + 1)
		set := fmt.Sprint(k)
		combined, err := mrtest.ReduceOf(t, func() *best { return &best{} }).Set(keyTop, set).Input([]byte("m"),
			all[:cut]...).Done()
		require.NoError(t, err)
		left := slices.Clone(all[cut:])
		for _, c := range combined {
			left = append(left, c.Value)
		}
		want := slices.SortedFunc(slices.Values(all), func(a, b ranked) int {
			return cmp.Or(-cmp.Compare(a.sessions, b.sessions), cmp.Compare(string(a.name), string(b.name)))
		})
		var lines []string
		for i, x := range want[:min(k, len(want))] {
			lines = append(lines, fmt.Sprintf("m\t%d\t%d\t%s", i+1, x.sessions, x.name))
		}
		mrtest.ReduceOf(t, func() *list { return &list{} }).Set(keyTop, set).Input([]byte("m"), left...).Want(lines...)
	}
}

func TestRankedWithoutName(t *testing.T) {
	mrtest.ReduceOf(t, func() *list { return &list{} }).Input(nil, ranked{7, []byte("x\ty")},
		ranked{9, nil}).Want("1\t9\t", "2\t7\tx\ty")
	_, err := ranked{}.Codec().Decode([]byte("short"))
	require.Error(t, err)
}
