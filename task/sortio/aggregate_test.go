package sortio

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/howdah/howdah/mapreduce"
)

var aggregations = map[string]mapreduce.ReducerClass{
	"sum of int32": mapreduce.Sum[int32](), "sum of int64": mapreduce.Sum[int64](),
	"min of int32": mapreduce.Min[int32](), "min of int64": mapreduce.Min[int64](),
	"max of int32": mapreduce.Max[int32](), "max of int64": mapreduce.Max[int64](),
	"min of float32": mapreduce.Min[float32](), "min of float64": mapreduce.Min[float64](),
	"max of float32": mapreduce.Max[float32](), "max of float64": mapreduce.Max[float64](),
}

// edges are the first bytes of extreme numbers: zeros, minima, maxima, infinities, and NaNs.
var edges = []uint64{0, 1 << 63, 0x7fffffffffffffff, 0xffffffffffffffff, 0x7f80 << 48, 0xff80 << 48, 0x7ff0 << 48,
	0xfff0 << 48, 0x7fc0 << 48, 0xffc1 << 48, 0x7ff8 << 48, 0xfff9 << 48, 1, 1 << 32, 0x8000000100000001}

// TestAggregationsChangeNothing checks that a collector that aggregates numbers itself writes the
// same bytes as one that only calls the combiner, also if it spills and if records take the shortcut.
// It must also count the same as one that combines in place. rapid prints the seed of a failure.
func TestAggregationsChangeNothing(t *testing.T) {
	names := slices.Sorted(maps.Keys(aggregations))
	rapid.Check(t, func(t *rapid.T) {
		class := aggregations[rapid.SampledFrom(names).Draw(t, "aggregation")]
		seed := rapid.Uint64().Draw(t, "seed")
		buffer := rapid.SampledFrom([]int64{64 << 10, 1 << 20}).Draw(t, "buffer")
		keys := rapid.SampledFrom([]float64{3, 300, 1000}).Draw(t, "keys")
		combiner := class.New()
		of := combiner.(mapreduce.Aggregator).Aggregation()
		collect := func(set func(*Config)) ([]rec, *tally) {
			counters := &tally{}
			cfg := Config{Dir: scratch(t), Partitions: 3, Cmp: exactOrder{}, Buffer: buffer, Counters: counters,
				Combine: func(key []byte, values iter.Seq[[]byte], out mapreduce.Emitter) error {
					return combiner.Reduce(nil, key, values, out)
				}}
			defer os.RemoveAll(cfg.Dir)
			set(&cfg)
			return collectNumbers(t, cfg, of.Width, seed, keys), counters
		}
		want, _ := collect(func(*Config) {})
		_, counted := collect(func(c *Config) { c.CombineInPlace = combiner.(mapreduce.InPlaceCombiner).CombineInPlace })
		got, counters := collect(func(c *Config) { c.Aggregation = of })
		require.Equal(t, want, got)
		require.Equal(t, counted.v, counters.v)
	})
}

// collectNumbers collects random numbers of width bytes. Half of them take the shortcut, if possible.
func collectNumbers(t *rapid.T, cfg Config, width int, seed uint64, keys float64) []rec {
	c, err := NewCollector(cfg)
	require.NoError(t, err)
	rnd := rand.New(rand.NewPCG(seed, 0))
	for range 4000 {
		n := int(rnd.ExpFloat64() * keys)
		key := fmt.Append(nil, "k", n)
		x := rnd.Uint64()
		if rnd.IntN(3) == 0 {
			x = edges[rnd.IntN(len(edges))]
		} else if rnd.IntN(2) == 0 {
			x = uint64(int64(x) >> 56) // small numbers
		}
		value := binary.BigEndian.AppendUint64(nil, x)
		if width == 4 && uint64(int32(x)) == x {
			value = value[4:]
		}
		value = value[:width]
		short := number(value)
		if width == 4 {
			short = uint64(int32(short)) // as in Out.Emit
		}
		if rnd.IntN(2) == 0 && c.Add(key[0], key[1:], width, short) {
			continue
		}
		if err := c.Collect(n%3, key, value); err != nil {
			t.Fatal(err)
		}
	}
	out, err := c.Close(context.Background())
	require.NoError(t, err)
	got := readOutput(t, out, nil)
	c.Abort()
	return got
}

// TestRanks checks that ranks order numbers as the aggregation does, and that a rank can be turned
// back into its number.
func TestRanks(t *testing.T) {
	for name, class := range aggregations {
		r := class.New().(mapreduce.InPlaceCombiner)
		of := r.(mapreduce.Aggregator).Aggregation()
		if of.Op == mapreduce.OpSum {
			continue
		}
		a := newAggregate(of)
		for _, x := range edges {
			for _, y := range edges {
				one, two := binary.BigEndian.AppendUint64(nil, x)[:of.Width], binary.BigEndian.AppendUint64(nil, y)[:of.Width]
				got := binary.BigEndian.AppendUint64(nil, a.number(max(a.rank(number(one)), a.rank(number(two)))))
				require.True(t, r.CombineInPlace(one, two))
				require.Equal(t, one, got[8-of.Width:], "%s, %x and %x", name, x, y)
			}
		}
	}
}

func TestInvalidAggregations(t *testing.T) {
	for _, bad := range []mapreduce.Aggregation{{Op: mapreduce.OpSum, Width: 5},
		{Op: mapreduce.OpSum, Width: 8, Float: true},
		{Op: mapreduce.OpMax}, {Width: 8}, {Op: 77, Width: 8}} {
		_, err := NewCollector(Config{Dir: t.TempDir(), Partitions: 1, Cmp: exactOrder{}, Buffer: 1 << 20, Aggregation: bad})
		require.ErrorContains(t, err, "want integers, or the minimum or maximum of floats, of 4 or 8 bytes", "%+v", bad)
	}
}
