package sortio

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/mapreduce"
)

var sumOfLongs = mapreduce.Aggregation{Op: mapreduce.OpSum, Width: 8}

// TestCacheChangesNothing checks that a collector that adds the integers itself writes the same
// records and counts the same as one that calls the combiner, also if it spills and if records take
// the shortcut.
func TestCacheChangesNothing(t *testing.T) {
	for _, buffer := range []int64{64 << 10, 256 << 10, 4 << 20} {
		for _, spread := range []float64{3, 300, 30_000} {
			var want []rec
			var counted *tally
			for _, mode := range []struct {
				of       mapreduce.Aggregation
				shortcut bool
			}{{}, {sumOfLongs, false}, {sumOfLongs, true}} {
				counters := &tally{}
				c, err := NewCollector(Config{Dir: t.TempDir(), Partitions: 3, Cmp: exactOrder{}, Combine: addCombiner,
					CombineInPlace: mapreduce.Sum[int64]().New().(mapreduce.InPlaceCombiner).CombineInPlace,
					Aggregation:    mode.of, Buffer: buffer, Counters: counters})
				require.NoError(t, err)
				rnd := rand.New(rand.NewPCG(1, 2))
				added := 0
				records := 200_000
				if buffer < 4<<20 {
					records = 50_000 // enough for several spills
				}
				for range records {
					n := int(rnd.ExpFloat64() * spread)
					key := []byte(strings.Repeat("\x00", n%3) + fmt.Sprint(n) + strings.Repeat("x", n%17))
					value := rnd.Uint64()
					if mode.shortcut && c.Add(key[0], key[1:], mode.of.Width, value) {
						added++
						continue
					}
					if err := c.Collect(n%3, key, binary.BigEndian.AppendUint64(nil, value)); err != nil {
						t.Fatal(err)
					}
				}
				out, err := c.Close(context.Background())
				require.NoError(t, err)
				got := readOutput(t, out, nil)
				if mode.of.Width == 0 {
					want, counted = got, counters
					continue
				}
				require.Equal(t, want, got, "buffer %d, spread %g", buffer, spread)
				require.Equal(t, counted.v, counters.v, "buffer %d, spread %g", buffer, spread)
				if mode.shortcut && buffer == 4<<20 && spread < 1000 {
					require.Greater(t, added, 40_000)
				}
			}
		}
	}
}

// TestCacheWithFewHits checks that the table stops using the cache if few of many records have a key in
// it, and that no sum is lost.
func TestCacheWithFewHits(t *testing.T) {
	for keys, used := range map[int]bool{1000: true, 150_000: false} {
		c, err := NewCollector(Config{Dir: t.TempDir(), Partitions: 1, Cmp: exactOrder{}, Combine: addCombiner,
			Aggregation: sumOfLongs,
			Buffer:      64 << 20})
		require.NoError(t, err)
		rnd := rand.New(rand.NewPCG(1, 2))
		want := map[string]uint64{}
		for range 3 * coldAfter {
			key := fmt.Sprint("key", rnd.IntN(keys))
			want[key]++
			if err := c.Collect(0, []byte(key), binary.BigEndian.AppendUint64(nil, 1)); err != nil {
				t.Fatal(err)
			}
		}
		require.NotZero(t, c.table.hits)
		require.Equal(t, used, c.table.roomy, "%d keys", keys)
		out, err := c.Close(context.Background())
		require.NoError(t, err)
		got := map[string]uint64{}
		for _, r := range readOutput(t, out, nil) {
			got[r.key] = binary.BigEndian.Uint64([]byte(r.val))
		}
		require.Equal(t, want, got)
	}
}

// TestHotWords checks that keys of the same length have the same words only if they are equal, and
// that bytes past a key's end do not matter.
func TestHotWords(t *testing.T) {
	for n := 1; n <= maxHotBody; n++ {
		key := []byte(strings.Repeat("k", n))
		lo, hi := hotWords(key[:n:n])
		l, h := hotWords([]byte(strings.Repeat("k", 100))[:n])
		require.True(t, l == lo && h == hi, "%d of 100 bytes", n)
		for i := range n {
			other := []byte(string(key))
			other[i]++
			l, h := hotWords(other)
			require.False(t, l == lo && h == hi, "%d bytes, byte %d", n, i)
		}
	}
}

// TestHotPartitions checks that the cache keeps the sums of different partitions apart, and that
// sums of 4 bytes wrap around.
func TestHotPartitions(t *testing.T) {
	c, err := NewCollector(Config{Dir: t.TempDir(), Partitions: 2, Cmp: exactOrder{}, Combine: addCombiner,
		Aggregation: mapreduce.Aggregation{Op: mapreduce.OpSum, Width: 4},
		Buffer:      1 << 20})
	require.NoError(t, err)
	for i := range 1 << 14 {
		require.NoError(t, c.Collect(i&1, []byte("key"), binary.BigEndian.AppendUint32(nil, 1<<24+uint32(i&1))))
	}
	out, err := c.Close(context.Background())
	require.NoError(t, err)
	require.Equal(t, []rec{{0, "key", "\x00\x00\x00\x00"}, {1, "key", "\x00\x00\x20\x00"}}, readOutput(t, out, nil))
}

// TestHotKeyWithABadValue checks that values of the wrong length reach the combiner between the sum
// of the values before them and the values after them.
func TestHotKeyWithABadValue(t *testing.T) {
	var values []string
	c, err := NewCollector(Config{Dir: t.TempDir(), Partitions: 1, Cmp: exactOrder{},
		Aggregation: sumOfLongs, Buffer: 1 << 20,
		Combine: func(key []byte, vs iter.Seq[[]byte], out mapreduce.Emitter) error {
			for v := range vs {
				values = append(values, string(v))
			}
			return nil
		}})
	require.NoError(t, err)
	for range 10_000 {
		require.NoError(t, c.Collect(0, []byte("key"), one))
	}
	for _, value := range []string{"bad", "bad", string(one)} {
		require.NoError(t, c.Collect(0, []byte("key"), []byte(value)))
		require.NoError(t, c.flushStage())
	}
	_, err = c.Close(context.Background())
	require.NoError(t, err)
	require.Equal(t, []string{"\x00\x00\x00\x00\x00\x00\x27\x10", "bad", "bad", string(one)}, values)
}
