package shuffle

import (
	"context"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/task/sortio"
	"github.com/stretchr/testify/require"
)

// mapOutput creates a map output with one record in a new directory.
func mapOutput(t *testing.T, partitions int) string {
	dir := t.TempDir()
	c, err := sortio.NewCollector(sortio.Config{Dir: dir, Partitions: partitions, Cmp: bytesOrder{}, Buffer: 64 << 10})
	require.NoError(t, err)
	require.NoError(t, c.Collect(partitions-1, []byte("k"), []byte("v")))
	_, err = c.Close(context.Background())
	require.NoError(t, err)
	return dir
}

func TestCacheForgetsTheOldestIndex(t *testing.T) {
	dirs := []string{mapOutput(t, 10), mapOutput(t, 10), mapOutput(t, 10)}
	x, err := NewCache(0).index(dirs[0])
	require.NoError(t, err)
	c := NewCache(2 * indexCost(dirs[0], x))
	defer c.Release()
	for _, i := range []int{0, 1, 0, 2} { // 1 is least recently used
		x, err := c.index(dirs[i])
		require.NoError(t, err)
		require.Len(t, x, 10)
	}
	require.Contains(t, c.indexes.byDir, dirs[0])
	require.NotContains(t, c.indexes.byDir, dirs[1])
	require.Contains(t, c.indexes.byDir, dirs[2])
	require.LessOrEqual(t, c.indexes.size, c.indexes.limit)

	for _, d := range dirs {
		require.NoError(t, os.RemoveAll(d))
		_, err := c.index(d)
		require.ErrorIs(t, err, fs.ErrNotExist)
	}
	require.Zero(t, c.indexes.size)
	require.Zero(t, c.files.size)
}

// TestCacheCountsOnce checks that two requests that read the same index at the same time put it into
// the cache once.
func TestCacheCountsOnce(t *testing.T) {
	dropped := 0
	r := recent[int]{limit: 10, drop: func(int) { dropped++ }}
	st, err := os.Lstat(".")
	require.NoError(t, err)
	for range 2 {
		r.put("ab", st, 3, 7)
	}
	require.EqualValues(t, 3, r.size)
	require.Equal(t, 1, r.order.Len())
	require.Equal(t, 1, dropped)
}

func TestCacheSeesChanges(t *testing.T) {
	dir := mapOutput(t, 2)
	for _, c := range []*Cache{NewCache(1 << 20), NewCache(0)} {
		defer c.Release()
		x, err := c.index(dir)
		require.NoError(t, err)
		require.Len(t, x, 2)

		path := filepath.Join(dir, sortio.OutputName)
		old, err := os.ReadFile(path)
		require.NoError(t, err)
		b, err := os.ReadFile(filepath.Join(mapOutput(t, 3), sortio.OutputName))
		require.NoError(t, err)
		require.NoError(t, os.Remove(path))
		require.NoError(t, os.WriteFile(path, b, 0o600))
		x, err = c.index(dir)
		require.NoError(t, err)
		require.Len(t, x, 3)

		b[len(b)-20] ^= 1
		require.NoError(t, os.WriteFile(path, b, 0o600))
		require.NoError(t, os.Chtimes(path, time.Time{}, time.Unix(1, 0)))
		_, err = c.index(dir)
		require.ErrorIs(t, err, failure.Corrupt.Target())

		require.NoError(t, os.Remove(path))
		_, err = c.index(dir)
		require.True(t, failure.Is(err, failure.NotFound))
		require.Zero(t, c.indexes.size)
		require.Zero(t, c.files.size)
		require.NoError(t, os.WriteFile(path, old, 0o600))
	}
}

// TestCacheKeepsFilesOpen checks that readers of a map output use one file in turn, that readers at the
// same time have one each, and that no file stays open after Release.
func TestCacheKeepsFilesOpen(t *testing.T) {
	dir := mapOutput(t, 2)
	c := NewCache(1 << 20)
	open := func() *openOutput {
		o, err := c.open(dir)
		require.NoError(t, err)
		return o
	}
	first := open()
	require.NoError(t, first.Close())
	again := open()
	require.Same(t, first.File, again.File)
	other := open()
	require.NotSame(t, first.File, other.File)
	require.NoError(t, again.Close())
	require.NoError(t, other.Close())
	require.EqualValues(t, 1, c.files.size)
	requireClosed(t, other.File)

	late := open()
	c.Release()
	_, err := late.Stat()
	require.NoError(t, err, "in use")
	require.NoError(t, late.Close())
	requireClosed(t, late.File)
	kept := open()
	require.NoError(t, kept.Close())
	c.Release()
	requireClosed(t, kept.File)
	require.Zero(t, c.files.size)

	var none *Cache
	none.Release()
	o, err := none.open(dir)
	require.NoError(t, err)
	x, err := o.index()
	require.NoError(t, err)
	require.Len(t, x, 2)
	require.NoError(t, o.Close())
	requireClosed(t, o.File)
}

func requireClosed(t *testing.T, f *os.File) {
	_, err := f.Stat()
	require.ErrorIs(t, err, os.ErrClosed)
}

// TestCacheLimitsOpenFiles checks that the cache closes the least recently used file.
func TestCacheLimitsOpenFiles(t *testing.T) {
	c := NewCache(0)
	defer c.Release()
	c.files.limit = 2
	var files []*os.File
	for range 3 {
		o, err := c.open(mapOutput(t, 1))
		require.NoError(t, err)
		require.NoError(t, o.Close())
		files = append(files, o.File)
	}
	requireClosed(t, files[0])
	require.EqualValues(t, 2, c.files.size)
}

// TestReducersShareOpenFiles checks that reducers of a process open each map output of their host
// once, whether they copy its segment or merge it in its file, and that the server does as well.
func TestReducersShareOpenFiles(t *testing.T) {
	for name, x := range map[string]struct {
		size  int
		local bool
	}{"copied": {100, true}, "in place": {2 * inPlace, true}, "served": {100, false}} {
		t.Run(name, func(t *testing.T) {
			cl := newCluster(t, 1, 3, nil)
			list := cl.makeMaps(4, 20, x.size)
			cache := cl.servers[0].cache
			if x.local {
				cache = NewCache(1 << 20)
			}
			defer cache.Release()
			shuffle := func(reduce int) {
				cfg := cl.config(reduce, 4)
				cfg.Memory = 64 << 20
				if x.local {
					cfg.LocalAddr, cfg.LocalRoot, cfg.Cache = cl.addrs[0], cl.roots[0], cache
					cl.shuffled(cfg, list)
					return
				}
				q := &query{job: testJob, reduce: int32(reduce)}
				for _, c := range list {
					q.maps = append(q.maps, attempt(c.Map, 0))
				}
				w := httptest.NewRecorder()
				cl.servers[0].send(t.Context(), w, cl.servers[0].prepare(q))
				require.NotZero(t, w.Body.Len())
			}
			shuffle(0)
			first := openFiles(cache)
			require.Len(t, first, 4)
			shuffle(1)
			shuffle(2)
			require.Equal(t, first, openFiles(cache))
		})
	}
}

// openFiles returns the files that c keeps open, by directory.
func openFiles(c *Cache) map[string]*os.File {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := map[string]*os.File{}
	for dir, e := range c.files.byDir {
		all[dir] = e.Value.(*stamped[*os.File]).value
	}
	return all
}
