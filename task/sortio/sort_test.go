package sortio

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/howdah/howdah/mapreduce"
	"github.com/stretchr/testify/require"
)

// TestSortOrders covers the sort with different kinds of keys: radix sort, ties of two and of many
// records, prefixes that differ in one byte of one record, and comparisons past the end of keys.
func TestSortOrders(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	kinds := map[string]func(i int) string{
		"uniform":        func(int) string { return fmt.Sprint(r.Uint64()) },
		"pairs":          func(int) string { return fmt.Sprintf("%08d%c", r.IntN(3000), 'a'+r.IntN(3)) },
		"one differs":    func(i int) string { return fmt.Sprintf("aaaaaaaa%d", min(i, 1)) },
		"an odd one out": func(i int) string { return string([]byte{byte(2 - i%2500/2499), 'x'}) },
		"shared prefix":  func(int) string { return fmt.Sprintf("the same beginning of all %d", r.IntN(2000)) },
		"ends in zeros":  func(int) string { return "zeros" + string(make([]byte, r.IntN(20))) },
		"long and equal": func(i int) string { return string(make([]byte, 3000)) + fmt.Sprint(i/4999) },
	}
	for name, key := range kinds {
		for _, cmp := range []mapreduce.Comparator{bytesOrder{}, deepOrder{}} {
			for _, n := range []int{0, 1, smallSort - 1, smallSort, 5000} {
				b := newBuffer(32<<20, 1, 3)
				var recs []rec
				for i := range n {
					x := rec{r.IntN(3), key(i), fmt.Sprint(i)}
					recs = append(recs, x)
					require.True(t, b.add(x.part, cmp.Prefix([]byte(x.key)), []byte(x.key), []byte(x.val)))
				}
				s := b.sort(cmp)
				var got []rec
				for p := range 3 {
					for _, m := range s.part(p) {
						k, v, _ := parseRecord(b.arena[m.off:])
						got = append(got, rec{p, string(k), string(v)})
					}
				}
				require.Equal(t, reference(cmp, recs), append([]rec(nil), got...), "%s, %d records", name, n)
			}
		}
	}
}

// TestBufferFillsToItsLimit checks that records and their metas, counted twice for sorting, may use
// the whole limit, but no more.
func TestBufferFillsToItsLimit(t *testing.T) {
	b := newBuffer(64<<10, 0.5, 1)
	for range 818 { // 40 bytes each, so 48 bytes of the limit of 32 KiB are left
		require.True(t, b.add(0, 0, []byte("key"), []byte("val")))
	}
	require.False(t, b.add(0, 0, nil, make([]byte, 15)))
	require.True(t, b.add(0, 0, nil, make([]byte, 14)))
	require.False(t, b.add(0, 0, nil, nil))
}

// TestBuffersReuseMemory checks that the next buffer uses the memory of a freed buffer.
func TestBuffersReuseMemory(t *testing.T) {
	// A buffer without new memory allocates the buffer and its counts.
	require.EqualValues(t, 2, testing.AllocsPerRun(100, func() { newBuffer(1<<20, 1, 1).free() }))
}
