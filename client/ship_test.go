package client_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/internal/distcache"
	"github.com/howdah/howdah/internal/staging"
	"github.com/howdah/howdah/job/failure"
)

// TestFilesAreShippedOnce checks that two submissions share the copies of the same cache files.
func TestFilesAreShippedOnce(t *testing.T) {
	m := newMaster(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "list.txt")
	require.NoError(t, os.WriteFile(file, []byte("a list"), 0o644))
	tree := filepath.Join(dir, "tree")
	require.NoError(t, os.MkdirAll(tree+"/sub", 0o755))
	require.NoError(t, os.WriteFile(tree+"/sub/leaf", []byte("leaf"), 0o600))
	m.conf.Set(distcache.KeyTempFiles, file+","+tree+"#t", "-files")
	x := m.dial()
	j := m.job()
	for range 2 {
		_, err := x.Submit(context.Background(), j)
		require.NoError(t, err)
	}
	fs, err := local.New(m.conf)
	require.NoError(t, err)
	c, _, err := staging.ReadConf(context.Background(), fs, m.dir(), 1<<20)
	require.NoError(t, err)
	entries, err := distcache.Read(c)
	require.NoError(t, err)
	require.Len(t, entries, 2)
	require.Equal(t, []string{"list.txt", "t"}, []string{entries[0].Link, entries[1].Link})
	require.EqualValues(t, 6, entries[0].Size)
	copies, err := os.ReadDir(filepath.Join(filepath.Dir(m.dir()), staging.CacheDir))
	require.NoError(t, err)
	require.Len(t, copies, 2)
	b, err := os.ReadFile(entries[1].URI[len("file:"):] + "/sub/leaf")
	require.NoError(t, err)
	require.Equal(t, "leaf", string(b))
	require.Empty(t, j.Conf.Get(conf.JobCacheFiles.Name), "the caller's configuration stays as it is")

	j.Conf.Set(distcache.KeyTempFiles, filepath.Join(dir, "none"), "-files")
	_, err = x.Submit(context.Background(), j)
	require.True(t, failure.Is(err, failure.NotFound), "%v", err)
	require.Len(t, m.submits, 2)
}
