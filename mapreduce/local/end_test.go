package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// input creates n small input files and returns their directory and a configuration that reads
// them.
func input(t *testing.T, n int) (dir string, c *conf.Config) {
	dir = t.TempDir()
	c = newConf(t)
	for i := range n {
		name := filepath.Join(dir, "in", fmt.Sprintf("f%02d", i))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(fmt.Sprintln("line of", i)), 0o644))
	}
	mapreduce.AddInputPaths(c, filepath.Join(dir, "in"))
	mapreduce.SetOutputPath(c, filepath.Join(dir, "out"))
	return dir, c
}

// nothingLeft checks that a failed job leaves no output, scratch files, or goroutines.
func nothingLeft(t *testing.T, dir string, c *conf.Config) {
	_, err := os.Stat(filepath.Join(dir, "out"))
	require.ErrorIs(t, err, os.ErrNotExist)
	left, _ := os.ReadDir(filepath.Join(c.Get("mapreduce.cluster.local.dir"), "localRunner"))
	require.Empty(t, left)
	goleak.VerifyNone(t)
}

func mapWith(f func(c *mapreduce.Context, line mapreduce.Text) error) *mapreduce.Job {
	return &mapreduce.Job{Name: "test", Mapper: mapreduce.MapFunc(
		func(c *mapreduce.Context, _ int64, line mapreduce.Text, out *mapreduce.Out[mapreduce.Text, int32]) error {
			out.Emit(line, 1)
			return f(c, line)
		})}
}

func TestFailedMapFailsTheJob(t *testing.T) {
	dir, c := input(t, 5)
	j := mapWith(func(c *mapreduce.Context, _ mapreduce.Text) error {
		if c.Partition() == 3 {
			return errors.New("no luck")
		}
		return nil
	})
	for _, reduces := range []string{"0", "2"} {
		c.Set("mapreduce.job.reduces", reduces, "test")
		res, err := Run(context.Background(), Options{FS: newFS(t, c)}, j, c)
		require.Equal(t, failure.User, failure.KindOf(err), "%v", err)
		require.ErrorContains(t, err, "no luck")
		require.Equal(t, job.Failed, res.State)
		nothingLeft(t, dir, c)
	}
}

func TestInterrupt(t *testing.T) {
	dir, c := input(t, 5)
	ctx, cancel := context.WithCancel(context.Background())
	j := mapWith(func(c *mapreduce.Context, _ mapreduce.Text) error {
		cancel()
		<-c.Context().Done()
		return c.Context().Err()
	})
	res, err := Run(ctx, Options{FS: newFS(t, c)}, j, c)
	require.Error(t, err)
	require.Equal(t, job.Killed, res.State)
	nothingLeft(t, dir, c)
}

// User code that ignores cancellation does not prevent the job from ending.
func TestTaskThatDoesNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, c := input(t, 2)
		release := make(chan struct{})
		j := mapWith(func(c *mapreduce.Context, _ mapreduce.Text) error {
			if c.Partition() == 0 {
				<-release
			}
			return errors.New("no luck")
		})
		_, err := Run(context.Background(), Options{FS: newFS(t, c)}, j, c)
		require.ErrorContains(t, err, "no luck")
		require.NoDirExists(t, filepath.Join(dir, "out"))
		close(release)
		synctest.Wait()
	})
}

func TestRefusedBeforeItBegins(t *testing.T) {
	dir, c := input(t, 1)
	for _, x := range []struct {
		key, value string
		kind       failure.Kind
	}{
		{conf.InputFileInputFormatInputDir.Name, filepath.Join(dir, "nonesuch"), failure.NotFound},
		{conf.OutputFileOutputFormatOutputDir.Name, filepath.Join(dir, "in"), failure.Exists},
		{conf.JobReduces.Name, "-1", failure.Config},
		{conf.JobDeadline.Name, "tomorrow", failure.Config},
		{"io.sort.mb", "2000", failure.Config},
		{"mapreduce.reduce.shuffle.merge.percent", "2", failure.Config},
		{"mapreduce.map.memory.mb", "1", failure.Config},
		{"mapreduce.local.map.tasks.maximum", "0", failure.Config},
		{"mapreduce.cluster.local.dir", filepath.Join(dir, "in", "f00"), failure.IO},
	} {
		bad := c.Clone()
		bad.Set(x.key, x.value, "test")
		res, err := Run(context.Background(), Options{FS: newFS(t, c)}, wordcount, bad)
		require.Nil(t, res)
		require.Error(t, err)
		if x.kind != failure.IO {
			require.Equal(t, x.kind, failure.KindOf(err), "%v", err)
		}
		nothingLeft(t, dir, c)
	}
}

func TestTasksAtOnce(t *testing.T) {
	_, c := input(t, 12)
	c.Set("mapreduce.local.map.tasks.maximum", "3", "test")
	var now, most atomic.Int32
	gate := make(chan struct{}, 100)
	j := mapWith(func(*mapreduce.Context, mapreduce.Text) error {
		if n := now.Add(1); n > most.Load() {
			most.Store(n)
		}
		gate <- struct{}{}
		now.Add(-1)
		return nil
	})
	_, err := Run(context.Background(), Options{FS: newFS(t, c)}, j, c)
	require.NoError(t, err)
	require.LessOrEqual(t, most.Load(), int32(3))
	require.Len(t, gate, 12)
}

func TestNoInputFiles(t *testing.T) {
	dir, c := input(t, 0)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "in"), 0o755))
	res, err := Run(context.Background(), Options{FS: newFS(t, c)}, wordcount, c)
	require.NoError(t, err)
	require.Equal(t, job.Succeeded, res.State)
	b, err := os.ReadFile(filepath.Join(dir, "out", "part-r-00000"))
	require.NoError(t, err)
	require.Empty(t, b)
}
