package local

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	dfslocal "github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
)

// wordcount is the job that several tests in this package run.
var wordcount = &mapreduce.Job{
	Name:     "wordcount",
	Mapper:   mapreduce.MapFunc(words),
	Combiner: mapreduce.Sum[int32](),
	Reducer:  mapreduce.Sum[int32](),
}

func words(_ *mapreduce.Context, _ int64, line mapreduce.Text, out *mapreduce.Out[mapreduce.Text, int32]) error {
	for len(line) > 0 {
		i := bytes.IndexByte(line, ' ')
		if i < 0 {
			i = len(line) - 1
			out.Emit(line, 1)
		} else if i > 0 {
			out.Emit(line[:i], 1)
		}
		line = line[i+1:]
	}
	return nil
}

func newConf(t *testing.T) *conf.Config { return confIn(t.TempDir()) }

func confIn(dir string) *conf.Config {
	c := conf.New()
	c.Set("mapreduce.cluster.local.dir", filepath.Join(dir, "scratch"), "test")
	return c
}

func newFS(t *testing.T, c *conf.Config) dfs.Resolver { return resolver(t, c) }

func resolver(t require.TestingT, c *conf.Config) dfs.Resolver {
	s, err := dfslocal.Resolver(c)
	require.NoError(t, err)
	return s
}

// syncless is a file system on which nobody may wait for the disk.
type syncless struct {
	*dfslocal.FS
	t *testing.T
}

func (s syncless) Within(string) dfs.FileSystem { return s }

func (s syncless) Persist(_ context.Context, names ...string) error {
	s.t.Errorf("the runner syncs %v", names)
	return nil
}

// The runner does not sync files, as Hadoop's does not.
func TestNoSyncs(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "in"), []byte("the cat\n"), 0o644))
	c := newConf(t)
	mapreduce.AddInputPaths(c, filepath.Join(dir, "in"))
	mapreduce.SetOutputPath(c, filepath.Join(dir, "out"))
	fs, err := dfslocal.New(c)
	require.NoError(t, err)
	files, err := dfs.NewSet(c, map[string]dfs.Constructor{"file": func(string) (dfs.FileSystem, error) {
		return syncless{fs, t}, nil
	}})
	require.NoError(t, err)
	_, err = Run(t.Context(), Options{FS: files, Log: os.Stderr}, wordcount, c)
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(dir, "out", "_SUCCESS"))
}

func TestWordcount(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "in"), []byte("the cat\nthe hat\n"), 0o644))
	c := newConf(t)
	mapreduce.AddInputPaths(c, filepath.Join(dir, "in"))
	mapreduce.SetOutputPath(c, filepath.Join(dir, "out"))
	res, err := Run(context.Background(), Options{FS: newFS(t, c), Log: os.Stderr}, wordcount, c)
	require.NoError(t, err)
	require.Equal(t, job.Succeeded, res.State)
	b, err := os.ReadFile(filepath.Join(dir, "out", "part-r-00000"))
	require.NoError(t, err)
	require.Equal(t, "cat\t1\nhat\t1\nthe\t2\n", string(b))
	require.FileExists(t, filepath.Join(dir, "out", "_SUCCESS"))
	require.EqualValues(t, 4, res.Counters.Builtin[job.MapOutputRecords])
	require.EqualValues(t, 3, res.Counters.Builtin[job.ReduceInputGroups])
	for i := range job.NumCounters {
		if n := res.Counters.Builtin[i]; n != 0 {
			t.Log(i.Info().Display, n)
		}
	}
}

// byParity sends even values to partition 0 and odd values to partition 1.
type byParity struct{}

func (byParity) Partition(_, value []byte, _ int) int { return int(value[len(value)-1] & 1) }

// TestPartitionByValue checks that the sum of a frequent key does not include values that belong to
// another partition.
func TestPartitionByValue(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "in"), []byte("line\n"), 0o644))
	c := newConf(t)
	c.Set("mapreduce.job.reduces", "2", "test")
	mapreduce.AddInputPaths(c, filepath.Join(dir, "in"))
	mapreduce.SetOutputPath(c, filepath.Join(dir, "out"))
	j := *wordcount
	j.Partitioner = func(*mapreduce.Env, mapreduce.Type) (mapreduce.Partitioner, error) { return byParity{}, nil }
	j.Mapper = mapreduce.MapFunc(func(_ *mapreduce.Context, _ int64, line mapreduce.Text,
		out *mapreduce.Out[mapreduce.Text, int32]) error {
		for i := range int32(10_000) {
			out.Emit(line, i&1+2)
		}
		return out.Err()
	})
	_, err := Run(t.Context(), Options{FS: newFS(t, c)}, &j, c)
	require.NoError(t, err)
	for part, want := range []string{"line\t10000\n", "line\t15000\n"} {
		b, err := os.ReadFile(filepath.Join(dir, "out", fmt.Sprintf("part-r-%05d", part)))
		require.NoError(t, err)
		require.Equal(t, want, string(b))
	}
}

// TestMapOutputsStayInMemory checks that a job writes no map outputs if they fit into memory. With
// 128 MiB for a map, the sort buffer leaves no room for outputs.
func TestMapOutputsStayInMemory(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"1": "the cat\n", "2": "the hat\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	for _, x := range []struct {
		memory  string
		written int64
	}{{"1024", 0}, {"128", 4}} {
		c := newConf(t)
		c.Set("mapreduce.map.memory.mb", x.memory, "test")
		mapreduce.AddInputPaths(c, filepath.Join(dir, "1"))
		mapreduce.AddInputPaths(c, filepath.Join(dir, "2"))
		mapreduce.SetOutputPath(c, filepath.Join(dir, "out"+x.memory))
		res, err := Run(t.Context(), Options{FS: newFS(t, c)}, wordcount, c)
		require.NoError(t, err)
		require.Equal(t, x.written, res.Counters.Builtin[job.SpilledRecords])
		require.EqualValues(t, 2, res.Counters.Builtin[job.MergedMapOutputs])
		require.Equal(t, res.Counters.Builtin[job.MapOutputMaterializedBytes],
			res.Counters.Builtin[job.ReduceShuffleBytes])
		b, err := os.ReadFile(filepath.Join(dir, "out"+x.memory, "part-r-00000"))
		require.NoError(t, err)
		require.Equal(t, "cat\t1\nhat\t1\nthe\t2\n", string(b))
	}
	if runtime.GOOS == "linux" {
		open, err := os.ReadDir("/proc/self/fd")
		require.NoError(t, err)
		for _, e := range open {
			name, _ := os.Readlink(filepath.Join("/proc/self/fd", e.Name()))
			require.NotContains(t, name, "file.out", "a map output is still open")
		}
	}
}
