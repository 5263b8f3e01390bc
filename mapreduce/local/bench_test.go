package local

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	dfslocal "github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/integration/bench/corpus"
	"github.com/howdah/howdah/mapreduce"
)

// BenchmarkWordcount runs complete jobs on 32 MiB of Zipf-distributed text, one task at a time.
func BenchmarkWordcount(b *testing.B) {
	dir := b.TempDir()
	in := filepath.Join(dir, "in")
	f, err := os.Create(in)
	require.NoError(b, err)
	require.NoError(b, corpus.Zipf(f, 32<<20))
	require.NoError(b, f.Close())
	c := conf.New()
	c.Set("mapreduce.cluster.local.dir", filepath.Join(dir, "scratch"), "test")
	c.Set("mapreduce.local.map.tasks.maximum", "1", "test")
	mapreduce.AddInputPaths(c, in)
	mapreduce.SetOutputPath(c, filepath.Join(dir, "out"))
	fs, err := dfslocal.Resolver(c)
	require.NoError(b, err)
	b.SetBytes(32 << 20)
	b.ReportAllocs()
	for b.Loop() {
		_, err := Run(context.Background(), Options{FS: fs}, wordcount, c)
		require.NoError(b, err)
		require.NoError(b, os.RemoveAll(filepath.Join(dir, "out")))
	}
}
