package local

import (
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/mapreduce"
)

// TestMemoryLimit checks that the garbage collector knows the memory of the concurrent tasks while a job
// runs, unless the process has a limit of its own.
func TestMemoryLimit(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "in"), []byte("line\n"), 0o644))
	var seen int64
	j := &mapreduce.Job{Name: "j", Mapper: mapreduce.MapFunc(
		func(*mapreduce.Context, int64, mapreduce.Text, *mapreduce.Out[mapreduce.Text, int32]) error {
			seen = debug.SetMemoryLimit(-1)
			return nil
		})}
	c := newConf(t)
	for key, value := range map[string]string{"mapreduce.map.memory.mb": "300", "mapreduce.local.map.tasks.maximum": "4",
		"mapreduce.reduce.memory.mb": "1100", "mapreduce.local.reduce.tasks.maximum": "1"} {
		c.Set(key, value, "test")
	}
	mapreduce.AddInputPaths(c, filepath.Join(dir, "in"))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	for own, want := range map[int64]int64{math.MaxInt64: (4*300 - 48) << 20, 5 << 30: 5 << 30} {
		debug.SetMemoryLimit(own)
		mapreduce.SetOutputPath(c, filepath.Join(t.TempDir(), "out"))
		_, err := Run(t.Context(), Options{FS: newFS(t, c)}, j, c)
		require.NoError(t, err)
		require.Equal(t, want, seen)
		require.Equal(t, own, debug.SetMemoryLimit(-1))
	}
}
