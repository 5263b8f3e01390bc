package shuffle

import (
	"context"
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

func TestIndexCacheForgetsTheOldest(t *testing.T) {
	dirs := []string{mapOutput(t, 10), mapOutput(t, 10), mapOutput(t, 10)}
	x, err := newIndexCache(0).get(dirs[0])
	require.NoError(t, err)
	c := newIndexCache(2 * indexCost(&cachedIndex{dir: dirs[0], index: x}))
	for _, i := range []int{0, 1, 0, 2} { // 1 is least recently used
		x, err := c.get(dirs[i])
		require.NoError(t, err)
		require.Len(t, x, 10)
	}
	require.Contains(t, c.byDir, dirs[0])
	require.NotContains(t, c.byDir, dirs[1])
	require.Contains(t, c.byDir, dirs[2])
	require.LessOrEqual(t, c.size, c.limit)

	for _, d := range dirs {
		c.drop(d)
	}
	require.Zero(t, c.size)

	x, err = newIndexCache(-1).get(dirs[0])
	require.NoError(t, err, "no memory at all")
	require.Len(t, x, 10)
}

// TestIndexCacheCountsOnce checks that two requests that read the same index at the same time put it
// into the cache once.
func TestIndexCacheCountsOnce(t *testing.T) {
	c := newIndexCache(1 << 20)
	for range 2 {
		c.put(&cachedIndex{dir: "ab", index: make(sortio.Index, 3)})
	}
	require.EqualValues(t, 3*32+2+200, c.size, "32 bytes for each entry")
	require.Equal(t, 1, c.order.Len())
}

func TestIndexCacheSeesChanges(t *testing.T) {
	dir := mapOutput(t, 2)
	c := newIndexCache(1 << 20)
	x, err := c.get(dir)
	require.NoError(t, err)
	require.Len(t, x, 2)

	path := filepath.Join(dir, sortio.OutputName)
	b, err := os.ReadFile(filepath.Join(mapOutput(t, 3), sortio.OutputName))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, b, 0o600))
	x, err = c.get(dir)
	require.NoError(t, err)
	require.Len(t, x, 3)

	b[len(b)-20] ^= 1
	require.NoError(t, os.WriteFile(path, b, 0o600))
	require.NoError(t, os.Chtimes(path, time.Time{}, time.Unix(1, 0)))
	_, err = c.get(dir)
	require.ErrorIs(t, err, failure.Corrupt.Target())

	require.NoError(t, os.Remove(path))
	_, err = c.get(dir)
	require.True(t, failure.Is(err, failure.NotFound))
	require.Zero(t, c.size)
}
