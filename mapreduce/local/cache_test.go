package local

import (
	"archive/zip"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// Tasks find the local copies of the files in the job's distributed cache by name.
func TestDistributedCache(t *testing.T) {
	dir, c := input(t, 3)
	require.NoError(t, os.WriteFile(dir+"/stop.txt", []byte("stop"), 0o644))
	f, err := os.Create(dir + "/a.zip")
	require.NoError(t, err)
	z := zip.NewWriter(f)
	w, err := z.Create("in/side")
	require.NoError(t, err)
	_, err = w.Write([]byte("zipped"))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	require.NoError(t, f.Close())
	c.Set("tmpfiles", dir+"/stop.txt", "-files")
	mapreduce.AddCacheFile(c, dir+"/stop.txt#again")
	mapreduce.AddCacheArchive(c, "file:"+dir+"/a.zip#lib")
	c.Set("mapreduce.job.reduces", "0", "test")
	j := mapWith(func(c *mapreduce.Context, _ mapreduce.Text) error {
		require.Len(t, c.CacheFiles(), 3)
		for name, want := range map[string]string{"stop.txt": "stop", "again": "stop", "lib": ""} {
			p, err := c.CacheFile(name)
			require.NoError(t, err)
			require.Equal(t, filepath.Join(c.Task().WorkDir, name), p)
			if name == "lib" {
				p, want = filepath.Join(p, "in/side"), "zipped"
			}
			b, err := os.ReadFile(p)
			require.NoError(t, err)
			require.Equal(t, want, string(b))
		}
		require.Contains(t, c.Conf.Get("mapred.cache.localArchives"), "/lib")
		_, err := c.CacheFile("none")
		require.True(t, failure.Is(err, failure.NotFound))
		return nil
	})
	res, err := Run(context.Background(), Options{FS: newFS(t, c)}, j, c)
	require.NoError(t, err)
	require.Equal(t, job.Succeeded, res.State)

	c.Set(conf.JobCacheFiles.Name, dir+"/none", "test")
	mapreduce.SetOutputPath(c, dir+"/out2")
	_, err = Run(context.Background(), Options{FS: newFS(t, c)}, j, c)
	require.True(t, failure.Is(err, failure.NotFound), "%v", err)
	require.NoDirExists(t, dir+"/out2")
}
