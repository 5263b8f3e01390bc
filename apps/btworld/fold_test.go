package btworld

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// emitted holds the output of a reducer: the text of keys and the bytes of values.
type emitted struct {
	keys   []string
	values [][]byte
}

func (e *emitted) Emit(key, value []byte) error {
	k, err := textCodec().Decode(key)
	e.keys, e.values = append(e.keys, string(k)), append(e.values, slices.Clone(value))
	return err
}

func serialized(n ...int64) []byte { return numbers{}.Codec().Append(nil, n) }

func TestFold(t *testing.T) {
	f := fold{ops: []op{sum, least, greatest}, line: numbersLine}
	values := [][]byte{serialized(1, 5, 5), serialized(10, -7, 3), serialized(100, 0, 9)}
	key := textCodec().Append(nil, mapreduce.Text("k"))

	var out emitted
	require.NoError(t, f.combiner().New().Reduce(nil, key, slices.Values(values), &out))
	require.NoError(t, f.reducer().New().Reduce(nil, key, slices.Values(out.values), &out))
	require.Equal(t, []string{"k", "k\t111\t-7\t9"}, out.keys)

	acc := slices.Clone(values[0])
	in := f.combiner().New().(mapreduce.InPlaceCombiner)
	require.True(t, in.CombineInPlace(acc, values[1]))
	require.True(t, in.CombineInPlace(acc, values[2]))
	require.Equal(t, out.values[0], acc)
	require.False(t, in.CombineInPlace(acc, values[1][:8]))
	require.Equal(t, out.values[0], acc)

	for _, c := range []mapreduce.ReducerClass{f.combiner(), f.reducer()} {
		err := c.New().Reduce(nil, key, slices.Values([][]byte{values[0], values[0][:8]}), &out)
		require.True(t, failure.Is(err, failure.Corrupt), "%v", err)
	}
}

// TestFoldOfKeys checks that a fold without numbers keeps each key once, even when it combines in
// place.
func TestFoldOfKeys(t *testing.T) {
	f := fold{line: keyLine}
	var out emitted
	require.NoError(t, f.reducer().New().Reduce(nil, textCodec().Append(nil, mapreduce.Text("k")),
		slices.Values([][]byte{nil, nil}), &out))
	require.Equal(t, []string{"k"}, out.keys)
	require.True(t, f.combiner().New().(mapreduce.InPlaceCombiner).CombineInPlace(nil, nil))
}

func TestNumbers(t *testing.T) {
	c := numbers{}.Codec()
	b := c.Append(nil, numbers{-1, 1 << 40})
	n, err := c.Decode(b)
	require.NoError(t, err)
	require.Equal(t, numbers{-1, 1 << 40}, n)
	require.Equal(t, "-1 1099511627776", string(c.Type.AppendText(nil, b)))
	_, err = c.Decode(b[:9])
	require.True(t, failure.Is(err, failure.Corrupt), "%v", err)
}

func TestMean(t *testing.T) {
	for range 2000 {
		total, n := rand.Int64N(1<<20), 1+rand.Int64N(1000)
		require.Equal(t, big.NewRat(total, n).FloatString(2), string(appendMean(nil, total, n)), "%d/%d", total, n)
	}
	require.Equal(t, "3.00", string(appendMean(nil, 2999, 1000)))
}
