package task

import (
	"bytes"
	"context"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/bench/corpus"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
)

const benchSize = 16 << 20

// benchJob returns a word count job, with or without a combiner.
func benchJob(combine bool) *mapreduce.Job {
	j := &mapreduce.Job{Name: "wordcount", Reducer: mapreduce.Sum[int32](), Mapper: mapper(
		func(_ *mapreduce.Context, line text, out *mapreduce.Out[text, int32]) error {
			for w := range bytes.FieldsSeq(line) {
				out.Emit(w, 1)
			}
			return out.Err()
		})}
	if combine {
		j.Combiner = mapreduce.Sum[int32]()
	}
	return j
}

func benchCorpus(b *testing.B) string {
	var s strings.Builder
	require.NoError(b, corpus.Zipf(&s, benchSize))
	b.SetBytes(benchSize)
	b.ReportAllocs()
	return s.String()
}

// BenchmarkMap runs the map of a word count over 16 MiB of Zipf text.
func BenchmarkMap(b *testing.B) {
	for _, combine := range []bool{false, true} {
		b.Run("combine="+strconv.FormatBool(combine), func(b *testing.B) {
			x := newBench(b, benchJob(combine), benchCorpus(b))
			for b.Loop() {
				_, err := x.runMap(context.Background(), 1)
				require.NoError(b, err)
				require.NoError(b, os.RemoveAll(x.spec(job.Map, 1).MapOutputDir))
			}
		})
	}
}

// BenchmarkReduce runs the reducer of a word count over the output of a map without a combiner.
func BenchmarkReduce(b *testing.B) {
	x := newBench(b, benchJob(false), benchCorpus(b))
	_, err := x.runMap(context.Background(), 1)
	require.NoError(b, err)
	for b.Loop() {
		_, err := x.runReduce(context.Background())
		require.NoError(b, err)
	}
}
