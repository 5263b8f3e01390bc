package client_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/client"
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

// TestDamagedCopiesAreReplaced checks that a copy of another size does not stay in the way.
func TestDamagedCopiesAreReplaced(t *testing.T) {
	fs, err := local.New(conf.New())
	require.NoError(t, err)
	ship := client.Shipper(fs, t.TempDir())
	file := filepath.Join(t.TempDir(), "program")
	require.NoError(t, os.WriteFile(file, []byte("a program"), 0o755))
	for _, spoil := range []func(copied string) error{
		func(copied string) error { return os.Truncate(copied, 2) },
		func(copied string) error { return errors.Join(os.Remove(copied), os.Mkdir(copied, 0o755)) },
		func(copied string) error { return errors.Join(os.Remove(copied), syscall.Mkfifo(copied, 0o600)) },
	} {
		uri, err := ship(t.Context(), file)
		require.NoError(t, err)
		copied := uri[len("file:"):]
		require.NoError(t, spoil(copied))
		again, err := ship(t.Context(), file)
		require.NoError(t, err)
		require.Equal(t, uri, again)
		info, err := os.Stat(copied)
		require.NoError(t, err)
		require.True(t, info.Mode().IsRegular())
		require.EqualValues(t, len("a program"), info.Size())
	}
}
