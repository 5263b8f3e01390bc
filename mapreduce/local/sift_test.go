package local

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/library"
)

// callCounter counts the records that a mapper receives. It hides what the mapper needs.
type callCounter struct {
	mapreduce.Mapper
	mapreduce.Setupper
	calls *atomic.Int64
}

func (m callCounter) Map(c *mapreduce.Context, key, value []byte, out mapreduce.Emitter) error {
	m.calls.Add(1)
	return m.Mapper.Map(c, key, value, out)
}

// selectiveCounter does not hide what the mapper needs.
type selectiveCounter struct {
	callCounter
	mapreduce.Selective
}

// A mapper that ignores most records has the same result and counters whether or not it receives them.
func TestSelectiveMapper(t *testing.T) {
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"needle ", "need ", "hay ", "\xff", "ü", "\n", "\n", "\r\n", "\r", strings.Repeat("hay ", 200)}
	var text strings.Builder
	for text.Len() < 1<<20 {
		text.WriteString(pieces[random.IntN(len(pieces))])
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "in"), []byte(text.String()), 0o644))
	regex := library.Regex(mapreduce.TextWritable)
	var calls, fewCalls atomic.Int64
	counted := func(calls *atomic.Int64) (callCounter, mapreduce.Selective) {
		m := regex.New()
		return callCounter{m, m.(mapreduce.Setupper), calls}, m.(mapreduce.Selective)
	}
	plain, selective := regex, regex
	plain.New = func() mapreduce.Mapper {
		m, _ := counted(&calls)
		return m
	}
	selective.New = func() mapreduce.Mapper {
		m, needs := counted(&fewCalls)
		return selectiveCounter{m, needs}
	}
	run := func(name string, mapper mapreduce.MapperClass) (string, *job.Counters) {
		c := newConf(t)
		c.Set(conf.MapperRegex.Name, ".needle h.", "test")
		c.Set(conf.InputFileInputFormatSplitMaxSize.Name, strconv.Itoa(300_001), "test")
		mapreduce.AddInputPaths(c, filepath.Join(dir, "in"))
		mapreduce.SetOutputPath(c, filepath.Join(dir, name))
		j := &mapreduce.Job{Name: name, Mapper: mapper, Reducer: mapreduce.Sum[int64]()}
		res, err := Run(t.Context(), Options{FS: newFS(t, c), Log: os.Stderr}, j, c)
		require.NoError(t, err)
		out, err := os.ReadFile(filepath.Join(dir, name, "part-r-00000"))
		require.NoError(t, err)
		return string(out), res.Counters
	}
	want, all := run("all", plain)
	got, some := run("some", selective)
	require.NotEmpty(t, want)
	require.Equal(t, want, got)
	require.Equal(t, all.Builtin[job.MapInputRecords], calls.Load())
	require.Less(t, fewCalls.Load(), calls.Load()/2)
	for _, id := range []job.CounterID{job.MapInputRecords, job.MapOutputRecords, job.MapOutputBytes, job.InputBytesRead,
		job.ReduceInputGroups, job.ReduceInputRecords, job.ReduceOutputRecords, job.OutputBytesWritten} {
		require.Equal(t, all.Builtin[id], some.Builtin[id], id.Info().Display)
	}
}
