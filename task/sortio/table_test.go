package sortio

import (
	"context"
	"fmt"
	"iter"
	"os"
	"strings"
	"testing"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
	"github.com/stretchr/testify/require"
)

// newTestTable returns a table of 64 KiB for a single partition.
func newTestTable(c Config) *table { return newTable(newBuffer(64<<10, 1, 1), &c) }

// put adds a record under its real hash.
func put(t *testing.T, tab *table, key, value string) {
	ok, err := tab.add(tab.hash(0, []byte(key)), 0, []byte(key), []byte(value))
	require.NoError(t, err)
	require.True(t, ok)
}

// valuesOf returns the values of a table's only key.
func valuesOf(tab *table) (out []string) {
	for _, s := range tab.slots {
		if s == 0 {
			continue
		}
		for vals, _ := tab.values(int(uint32(s)) - 1); len(vals) > 0; {
			n, v := firstValue(vals)
			out, vals = append(out, string(v)), vals[n:]
		}
	}
	return out
}

// TestTableFillsToItsLimit checks that blocks, slots, and the metas of all keys and one more may use
// the whole buffer, but no more.
func TestTableFillsToItsLimit(t *testing.T) {
	tab := newTestTable(Config{})
	for i := range 3 {
		put(t, tab, fmt.Sprint(i), "value")
	}
	free := 64<<10 - tab.buf.used - 8*minSlots - 4*2*metaSize
	require.True(t, tab.fits(free))
	require.False(t, tab.fits(free+1))
}

// TestEqualHashes checks that keys with the same hash stay apart, as do equal keys of different
// partitions.
func TestEqualHashes(t *testing.T) {
	tab := newTable(newBuffer(64<<10, 1, 2), &Config{})
	for range 2 {
		for part, keys := range [][]string{{"a", "b"}, {"a"}} {
			for _, key := range keys {
				ok, err := tab.add(7, part, []byte(key), nil)
				require.NoError(t, err)
				require.True(t, ok)
			}
		}
	}
	require.Equal(t, 3, tab.n)
}

// TestTableGrows checks that a table doubles its slots before more than half of them are used, and
// finds all keys afterward. Without memory for the slots, it refuses the key.
func TestTableGrows(t *testing.T) {
	tab := newTable(newBuffer(256<<10, 1, 1), &Config{})
	half := func() {
		for i := range minSlots / 2 {
			put(t, tab, fmt.Sprint(i), "")
		}
	}
	half()
	require.Equal(t, minSlots/2, tab.n)
	require.Len(t, tab.slots, minSlots)
	limit := tab.buf.limit
	tab.buf.limit = tab.buf.used + 2*metaSize*(tab.n+1) + 2*8*minSlots - 1
	ok, err := tab.add(tab.hash(0, []byte("new")), 0, []byte("new"), nil)
	require.NoError(t, err)
	require.False(t, ok)
	require.Len(t, tab.slots, minSlots)
	tab.buf.limit = limit

	// The new key starts at a slot that an old key occupies after the growth. The upper bits of the
	// hash differs.
	h := tab.hash(0, []byte("0"))&(2*minSlots-1) | 0xabcd<<16
	for range 2 {
		ok, err = tab.add(h, 0, []byte("new"), nil)
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, minSlots/2+1, tab.n)
	}
	require.Len(t, tab.slots, 2*minSlots)
	half()
	require.Equal(t, minSlots/2+1, tab.n, "no old key is lost")
}

// TestTableCombinesInPlace checks that a value that is combined in place needs no space, and that a
// value that is not is appended.
func TestTableCombinesInPlace(t *testing.T) {
	tab := newTestTable(Config{CombineInPlace: addInPlace})
	number := func(n byte) string { return string([]byte{0, 0, 0, 0, 0, 0, 0, n}) }
	put(t, tab, "k", number(1))
	used := tab.buf.used
	put(t, tab, "k", number(2))
	require.Equal(t, used, tab.buf.used)
	require.Equal(t, []string{number(3)}, valuesOf(tab))
	put(t, tab, "k", number(7)) // addInPlace refuses multiples of 7
	require.Equal(t, []string{number(3), number(7)}, valuesOf(tab))
	put(t, tab, "k", number(1)) // only a single value is combined in place
	require.Equal(t, []string{number(3), number(7), number(1)}, valuesOf(tab))
}

// TestValuesFillTheirSpace checks that values may fill their space completely before the block moves.
func TestValuesFillTheirSpace(t *testing.T) {
	tab := newTestTable(Config{})
	put(t, tab, "k", strings.Repeat("a", 19)) // 20 bytes with the length
	used := tab.buf.used
	put(t, tab, "k", strings.Repeat("b", firstSpace-21))
	require.Equal(t, used, tab.buf.used)
	put(t, tab, "k", "")
	require.Equal(t, used+blockHead+recordSize(1, 0)+2*(firstSpace+1), tab.buf.used)
}

// TestLengthsOfValues checks that the table keeps values whose lengths need one byte, two bytes, and
// the least bytes for that.
func TestLengthsOfValues(t *testing.T) {
	tab := newTestTable(Config{})
	var want []string
	for i, n := range []int{127, 128, 0, 129, 3} {
		want = append(want, strings.Repeat(fmt.Sprint(i), n))
	}
	tab.fold.combine = func(key []byte, values iter.Seq[[]byte], out mapreduce.Emitter) error {
		for v := range values {
			if err := out.Emit(key, v); err != nil {
				return err
			}
		}
		return nil
	}
	for _, v := range want {
		put(t, tab, "k", v)
	}
	require.Equal(t, want, valuesOf(tab))
}

// dropAll is a combiner that emits nothing.
func dropAll([]byte, iter.Seq[[]byte], mapreduce.Emitter) error { return nil }

// need returns a value that takes n bytes in a block, together with its length.
func need(n int) string {
	v := n - 1
	if v >= 0x80 {
		v--
	}
	return strings.Repeat("v", v)
}

// TestFullBlocks checks what a table does with a full block. A small block moves to a space of at
// least double the size. In a large block, the values are combined. The block then stays if half of
// it is free, or if there is no room for a larger block and the new value fits.
func TestFullBlocks(t *testing.T) {
	for _, x := range []struct {
		space, need int
		noRoom      bool
		combined    bool
		moved       int // new space; 0 means that the block stays
		refused     bool
	}{
		{space: foldSpace - 1, need: 1, moved: 2 * foldSpace},
		{space: foldSpace, need: foldSpace / 2, combined: true},
		{space: foldSpace, need: foldSpace/2 + 2, combined: true, moved: 2 * foldSpace},
		{space: foldSpace, need: foldSpace + 44, combined: true, moved: 600},
		{space: foldSpace, need: foldSpace, noRoom: true, combined: true},
		{space: foldSpace, need: foldSpace + 1, noRoom: true, combined: true, refused: true},
	} {
		combined := false
		tab := newTestTable(Config{Combine: func([]byte, iter.Seq[[]byte], mapreduce.Emitter) error {
			combined = true
			return nil
		}})
		put(t, tab, "k", need(x.space))
		require.Equal(t, blockHead+recordSize(1, 0)+x.space, tab.buf.used)
		used := tab.buf.used
		if x.noRoom {
			tab.buf.limit = used + 8*minSlots + 2*2*metaSize
		}
		ok, err := tab.add(tab.hash(0, []byte("k")), 0, []byte("k"), []byte(need(x.need)))
		require.NoError(t, err)
		require.Equal(t, x.refused, !ok, "%+v", x)
		require.Equal(t, x.combined, combined, "%+v", x)
		if x.moved > 0 {
			used += blockHead + recordSize(1, 0) + x.moved
		}
		require.Equal(t, used, tab.buf.used, "%+v", x)
		var want []string
		if !x.combined {
			want = append(want, need(x.space))
		}
		if !x.refused {
			want = append(want, need(x.need))
		}
		require.Equal(t, want, valuesOf(tab), "%+v", x)
	}
}

// TestKeyWithoutValues checks that a spill writes nothing for a key whose values the combiner has
// dropped.
func TestKeyWithoutValues(t *testing.T) {
	c, err := NewCollector(Config{Dir: t.TempDir(), Partitions: 1, Cmp: exactOrder{}, Combine: dropAll, Buffer: 64 << 10})
	require.NoError(t, err)
	// Values of foldSpace bytes, then a value that fits neither into the block nor into the buffer.
	require.NoError(t, c.Collect(0, []byte("k"), []byte(need(foldSpace))))
	require.NoError(t, c.Collect(0, []byte("k"), make([]byte, 60<<10)))
	out, err := c.Close(context.Background())
	require.NoError(t, err)
	for _, r := range readOutput(t, out, nil) {
		require.Len(t, r.val, 60<<10, "only the large value is left")
	}
}

// TestSpillsOfATable checks that a spill combines only keys with several values, and counts records.
// The table stays in use if each key occurs twice or more on average.
func TestSpillsOfATable(t *testing.T) {
	for name, x := range map[string]struct {
		second   int // number of keys that occur twice, of 10
		combined int
		stays    bool
	}{"single": {0, 0, false}, "rare": {9, 9, false}, "frequent": {10, 10, true}} {
		combined := 0
		counters := &tally{}
		c, err := NewCollector(Config{Dir: t.TempDir(), Partitions: 1, Cmp: exactOrder{}, Buffer: 64 << 10,
			Counters: counters,
			Combine: func(key []byte, values iter.Seq[[]byte], out mapreduce.Emitter) error {
				combined++
				return joinCombiner(key, values, out)
			}})
		require.NoError(t, err)
		for i := range 10 + x.second {
			require.NoError(t, c.Collect(0, fmt.Append(nil, i%10), []byte("v")))
		}
		require.NoError(t, c.flushStage())
		require.NoError(t, c.spill(context.Background()))
		require.Equal(t, x.combined, combined, name)
		require.Equal(t, x.stays, c.table != nil, name)
		require.EqualValues(t, 10+x.second, counters.v[job.CombineInputRecords], name)
		require.EqualValues(t, 10, counters.v[job.CombineOutputRecords], name)
		c.Abort()
	}
}

// TestTableLeavesDuringAFlush checks that no record is lost if the table is given up while staged
// records are being added, whatever the next record's size.
func TestTableLeavesDuringAFlush(t *testing.T) {
	for _, size := range []int{1, stageBytes, stageBytes + 1} {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		require.NoError(t, err)
		c, err := NewCollector(Config{Dir: dir, Partitions: 1, Cmp: exactOrder{}, Combine: joinCombiner, Buffer: 64 << 10})
		require.NoError(t, err)
		n := 0
		for ; c.table != nil; n++ {
			require.NoError(t, c.Collect(0, fmt.Appendf(nil, "%06d", n), make([]byte, size)))
		}
		out, err := c.Close(context.Background())
		require.NoError(t, err)
		recs := readOutput(t, out, nil)
		require.Len(t, recs, n)
		for i, r := range recs {
			require.Equal(t, fmt.Sprintf("%06d", i), r.key)
			require.Len(t, r.val, size)
		}
	}
}
