package local

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/mapreduce"
)

// TestWorkingDirectoryIsUsedAgain checks that a slot's maps share a working directory while they
// leave it empty, that each finds it like new, and that a map creates nothing else on the disk.
func TestWorkingDirectoryIsUsedAgain(t *testing.T) {
	_, c := input(t, 4)
	c.Set("mapreduce.local.map.tasks.maximum", "1", "test")
	var found []fs.FileInfo // of the working directory, by map
	j := mapWith(func(c *mapreduce.Context, _ mapreduce.Text) error {
		work := c.Task().WorkDir
		info, err := os.Stat(work)
		assert.NoError(t, err)
		assert.Equal(t, fs.ModeDir|0o700, info.Mode())
		entries, err := os.ReadDir(work)
		assert.NoError(t, err)
		assert.Empty(t, entries)
		open, err := os.Open(work) // no later directory gets this one's inode
		assert.NoError(t, err)
		t.Cleanup(func() { open.Close() })
		found = append(found, info)
		switch len(found) {
		case 2:
			return os.WriteFile(filepath.Join(work, "file"), nil, 0o600)
		case 3:
			return os.Chmod(work, 0o500)
		case 4:
			all, err := filepath.Glob(filepath.Join(work, "../../*"))
			assert.NoError(t, err)
			assert.Equal(t, []string{filepath.Join(work, "../../lock"), filepath.Dir(work)}, all)
		}
		return nil
	})
	_, err := Run(context.Background(), Options{FS: newFS(t, c)}, j, c)
	require.NoError(t, err)
	require.Len(t, found, 4)
	require.True(t, os.SameFile(found[0], found[1]), "the first map left it empty")
	require.False(t, os.SameFile(found[1], found[2]), "the second map left a file")
	require.False(t, os.SameFile(found[2], found[3]), "the third map changed its mode")
}
