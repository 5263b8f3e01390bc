package local

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/integration/bench/corpus"
	"github.com/howdah/howdah/mapreduce"
)

// TestOutputDoesNotDependOnSettings runs a job with random settings and compares the part files
// with a simple count. If it fails, it prints the settings and a flag to replay them.
func TestOutputDoesNotDependOnSettings(t *testing.T) {
	var text bytes.Buffer
	require.NoError(t, corpus.Zipf(&text, 40_000))
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	require.NoError(t, os.WriteFile(in, text.Bytes(), 0o644))
	serial := 0
	rapid.Check(t, func(t *rapid.T) {
		serial++
		c := conf.New()
		c.Set("mapreduce.cluster.local.dir", filepath.Join(dir, "scratch"), "test")
		mapreduce.AddInputPaths(c, in)
		out := filepath.Join(dir, "out"+strconv.Itoa(serial))
		mapreduce.SetOutputPath(c, out)
		reduces := rapid.IntRange(1, 4).Draw(t, "reduces")
		set := func(key string, value any) { c.Set(key, fmt.Sprint(value), "test") }
		set("mapreduce.job.reduces", reduces)
		set("mapreduce.input.fileinputformat.split.maxsize", rapid.Int64Range(6_000, 50_000).Draw(t, "split"))
		set("mapreduce.task.io.sort.mb", rapid.IntRange(1, 3).Draw(t, "sort.mb"))
		set("mapreduce.map.sort.spill.percent", rapid.Float64Range(0.01, 0.3).Draw(t, "spill.percent"))
		set("mapreduce.task.io.sort.factor", rapid.IntRange(2, 20).Draw(t, "factor"))
		set("mapreduce.map.combine.minspills", rapid.IntRange(1, 5).Draw(t, "minspills"))
		set("mapreduce.reduce.shuffle.input.buffer.percent", rapid.Float64Range(0.05, 0.9).Draw(t, "buffer.percent"))
		set("mapreduce.reduce.merge.inmem.threshold", rapid.IntRange(1, 10).Draw(t, "inmem.threshold"))
		set("mapreduce.reduce.input.buffer.percent", rapid.SampledFrom([]float64{0, 0.5}).Draw(t, "input.buffer"))
		if codec := rapid.SampledFrom([]string{"", "DefaultCodec", "GzipCodec", "ZStandardCodec"}).Draw(t,
			"codec"); codec != "" {
			set("mapreduce.map.output.compress", true)
			set("mapreduce.map.output.compress.codec", codec)
		}
		j := *wordcount
		if rapid.Bool().Draw(t, "without combiner") {
			j.Combiner = mapreduce.ReducerClass{}
		}
		fs := resolver(t, c)
		res, err := Run(context.Background(), Options{FS: fs, Log: os.Stderr}, &j, c)
		require.NoError(t, err)
		for p, want := range count(text.Bytes(), reduces) {
			got, err := os.ReadFile(filepath.Join(out, fmt.Sprintf("part-r-%05d", p)))
			require.NoError(t, err)
			require.Equal(t, want, string(got))
		}
		n, _ := res.Counters.Get("Map-Reduce Framework", "MAP_OUTPUT_RECORDS")
		require.EqualValues(t, len(bytes.Fields(text.Bytes())), n)
		require.NoError(t, os.RemoveAll(out))
		left, err := os.ReadDir(filepath.Join(dir, "scratch", "localRunner"))
		require.NoError(t, err)
		require.Empty(t, left)
	})
}

// count computes the expected part files.
func count(text []byte, reduces int) []string {
	counts := map[string]int{}
	for _, w := range bytes.Fields(text) {
		counts[string(w)]++
	}
	words := make([]string, 0, len(counts))
	for w := range counts {
		words = append(words, w)
	}
	sort.Strings(words)
	parts := make([]string, reduces)
	for _, w := range words {
		h := int32(1) // Text.hashCode
		for _, c := range []byte(w) {
			h = 31*h + int32(int8(c))
		}
		p := int(h&0x7fffffff) % reduces
		parts[p] += fmt.Sprintf("%s\t%d\n", w, counts[w])
	}
	return parts
}
