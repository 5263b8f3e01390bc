package join_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/join"
	"github.com/howdah/howdah/mapreduce/mrtest"
)

// open returns a reader that joins two files with many records and few keys.
func open(t testing.TB) mapreduce.RecordReader {
	r := mrtest.NewRunner()
	for _, name := range []string{"/a", "/b"} {
		require.NoError(t, r.WriteFile(name, strings.Repeat("1\tx\n", 100)+strings.Repeat("2\ty\n", 100)))
	}
	c := r.Conf().Clone()
	c.Set(conf.JoinExpr.Name, join.Compose("inner", kv, "/a", "/b"), "test")
	env := mapreduce.Env{Conf: c, FS: r.FS()}
	splits, err := join.Input{}.Splits(context.Background(), &env)
	require.NoError(t, err)
	in, err := join.Input{}.Open(mapreduce.NewContext(context.Background(), env, mapreduce.TaskInfo{}), &splits[0])
	require.NoError(t, err)
	return in
}

func TestNothingIsAllocatedPerRecord(t *testing.T) {
	in := open(t)
	defer in.Close()
	for range 100 {
		_, _, err := in.Next()
		require.NoError(t, err)
	}
	require.Zero(t, testing.AllocsPerRun(5000, func() { _, _, _ = in.Next() }))
}

func BenchmarkNext(b *testing.B) {
	in := open(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := in.Next(); err == io.EOF {
			b.StopTimer()
			in = open(b)
			b.StartTimer()
		}
	}
}
