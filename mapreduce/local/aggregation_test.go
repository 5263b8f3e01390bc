package local

import (
	"bytes"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/howdah/howdah/mapreduce"
)

// TestAggregationsAreUserCode runs jobs with declared aggregations and jobs that do the same in user
// code without a combiner. Their outputs must have the same bytes. rapid prints the seed of a failure.
func TestAggregationsAreUserCode(t *testing.T) {
	integer := func(b []byte) (int64, error) { return strconv.ParseInt(string(b), 10, 64) }
	double := func(b []byte) (float64, error) { return strconv.ParseFloat(string(b), 64) }
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		rnd := rand.New(rand.NewPCG(seed, 0))
		var in bytes.Buffer
		edges := []string{"-0", "0", "-1", "NaN", "Inf", "-Inf", "9223372036854775807", "-9223372036854775808"}
		reals := rapid.Bool().Draw(t, "reals")
		for range rapid.SampledFrom([]int{0, 1, 100, 6000}).Draw(t, "records") {
			v := strconv.FormatInt(int64(rnd.Uint64())>>rnd.IntN(64), 10)
			if rnd.IntN(4) == 0 {
				v = edges[rnd.IntN(len(edges))]
			}
			if _, err := integer([]byte(v)); reals || err == nil {
				fmt.Fprintf(&in, "key%d %s\n", int(rnd.ExpFloat64()*3), v)
			}
		}
		if reals {
			rapid.SampledFrom([]func(){
				func() {
					same(t, in.Bytes(), double, mapreduce.Min[float64](), userFold(func(x, y float64) float64 { return min(x, y) }))
				},
				func() {
					same(t, in.Bytes(), double, mapreduce.Max[float64](), userFold(func(x, y float64) float64 { return max(x, y) }))
				},
				func() { same(t, in.Bytes(), double, mapreduce.Count(), userCount[float64]()) },
			}).Draw(t, "aggregation")()
			return
		}
		rapid.SampledFrom([]func(){
			func() {
				same(t, in.Bytes(), integer, mapreduce.Sum[int64](), userFold(func(x, y int64) int64 { return x + y }))
			},
			func() {
				same(t, in.Bytes(), integer, mapreduce.Min[int64](), userFold(func(x, y int64) int64 { return min(x, y) }))
			},
			func() {
				same(t, in.Bytes(), integer, mapreduce.Max[int64](), userFold(func(x, y int64) int64 { return max(x, y) }))
			},
			func() { same(t, in.Bytes(), integer, mapreduce.Count(), userCount[int64]()) },
		}).Draw(t, "aggregation")()
	})
}

func userFold[V any](both func(x, y V) V) mapreduce.ReducerClass {
	return mapreduce.ReduceFunc(func(_ *mapreduce.Context, key mapreduce.Text, values iter.Seq[V],
		out *mapreduce.Out[mapreduce.Text, V]) error {
		var so *V
		for v := range values {
			if so != nil {
				v = both(*so, v)
			}
			so = &v
		}
		out.Emit(key, *so)
		return nil
	})
}

func userCount[V any]() mapreduce.ReducerClass {
	return mapreduce.ReduceFunc(func(_ *mapreduce.Context, key mapreduce.Text, values iter.Seq[V],
		out *mapreduce.Out[mapreduce.Text, int64]) error {
		n := int64(0)
		for range values {
			n++
		}
		out.Emit(key, n)
		return nil
	})
}

// same checks that three jobs write the same bytes: the declared aggregation with and without a
// combiner, and user code without a combiner.
func same[V any](t *rapid.T, in []byte, parse func([]byte) (V, error), declared, user mapreduce.ReducerClass) {
	m := mapreduce.MapFunc(func(_ *mapreduce.Context, _ int64, line mapreduce.Text,
		out *mapreduce.Out[mapreduce.Text, V]) error {
		key, value, _ := bytes.Cut(line, []byte(" "))
		v, err := parse(value)
		out.Emit(key, v)
		return err
	})
	want := outputOf(t, in, &mapreduce.Job{Name: "user", Mapper: m, Reducer: user})
	require.Equal(t, want, outputOf(t, in, &mapreduce.Job{Name: "declared", Mapper: m, Reducer: declared}))
	require.Equal(t, want, outputOf(t, in, &mapreduce.Job{Name: "combined", Mapper: m, Combiner: declared,
		Reducer: declared}))
}

// outputOf runs j on in and returns the bytes of its output.
func outputOf(t *rapid.T, in []byte, j *mapreduce.Job) string {
	dir, err := os.MkdirTemp("", "aggregation")
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "in"), in, 0o644))
	c := confIn(dir)
	c.Set("mapreduce.input.fileinputformat.split.maxsize", "50000", "test")
	mapreduce.AddInputPaths(c, filepath.Join(dir, "in"))
	mapreduce.SetOutputPath(c, filepath.Join(dir, "out"))
	_, err = Run(t.Context(), Options{FS: resolver(t, c)}, j, c)
	require.NoError(t, err)
	b, err := os.ReadFile(filepath.Join(dir, "out", "part-r-00000"))
	require.NoError(t, err)
	return string(b)
}
