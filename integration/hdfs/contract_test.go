//go:build integration

package hdfs

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/dfstest"
	"github.com/howdah/howdah/dfs/faultfs"
	"github.com/howdah/howdah/integration/apachehadoop"
	"github.com/howdah/howdah/internal/pb"
	"github.com/howdah/howdah/job/failure"
)

// HDFS satisfies the contract of file systems, with and without the layer that injects faults.
func TestContract(t *testing.T) {
	c := cluster(t)
	t.Run("hdfs", func(t *testing.T) {
		dfstest.Run(t, func(t *testing.T) (dfs.FileSystem, string) { return open(t, c) })
	})
	t.Run("faultfs", func(t *testing.T) {
		dfstest.Run(t, func(t *testing.T) (dfs.FileSystem, string) {
			fs, dir := open(t, c)
			return faultfs.New(fs, 1), dir
		})
	})
}

// Hadoop and howdah read each other's files, including files of odd sizes and a file that was
// appended to and synced in the middle of a chunk.
func TestBothWays(t *testing.T) {
	c := cluster(t)
	fs, dir := open(t, c)
	const n = 9<<20 + 123
	write(t, fs, dir+"/ours", 1, n, 1<<20, nil)
	w, err := fs.Create(t.Context(), dir+"/appended", dfs.CreateOptions{BlockSize: 1 << 20})
	require.NoError(t, err)
	for i := range 3 {
		for range 3 {
			_, err = w.Write(make([]byte, 777))
			require.NoError(t, err)
			require.NoError(t, w.Sync())
		}
		require.NoError(t, w.Close())
		if i < 2 {
			w, err = fs.Create(t.Context(), dir+"/appended", dfs.CreateOptions{Append: true})
			require.NoError(t, err)
		}
	}
	local := filepath.Join(t.TempDir(), "theirs")
	_, err = c.Run(t.Context(), apachehadoop.Shell, "-get", dir+"/ours", dir+"/appended", filepath.Dir(local))
	require.NoError(t, err)
	f, err := os.Open(filepath.Join(filepath.Dir(local), "ours"))
	require.NoError(t, err)
	defer f.Close()
	require.Equal(t, sum(t, stream(1, n)), sum(t, f))
	b, err := os.ReadFile(filepath.Join(filepath.Dir(local), "appended"))
	require.NoError(t, err)
	require.Equal(t, make([]byte, 9*777), b)

	_, err = c.Run(t.Context(), apachehadoop.Shell, "-put", filepath.Join(filepath.Dir(local), "ours"), dir+"/theirs")
	require.NoError(t, err)
	requireFile(t, fs, dir+"/theirs", 1, n)
}

// A file that is being written can be read up to its last sync.
func TestReadWhileWritten(t *testing.T) {
	fs, dir := open(t, cluster(t))
	w, err := fs.Create(t.Context(), dir+"/f", dfs.CreateOptions{BlockSize: 1 << 20})
	require.NoError(t, err)
	defer w.Abort()
	want := 0
	for range 5 {
		n, err := w.Write(make([]byte, 300_001))
		require.NoError(t, err)
		want += n
		require.NoError(t, w.Sync())
		require.Len(t, get(t, fs, dir+"/f"), want)
	}
}

// Errors have our kinds and describe the cause.
func TestErrors(t *testing.T) {
	c := cluster(t)
	fs, dir := open(t, c)
	other := connect(t, c, "mapreduce.job.user.name=somebody", "howdah.hdfs.safemode.timeout=1000")
	mode := uint32(0o700)
	require.NoError(t, fs.SetMeta(t.Context(), dir, dfs.Meta{Mode: &mode}))
	_, err := other.Stat(t.Context(), dir+"/x")
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	require.ErrorContains(t, err, "somebody")
	_, err = other.Create(t.Context(), dir+"/x", dfs.CreateOptions{})
	require.True(t, failure.Is(err, failure.Permission), "%v", err)

	const untouched, never = math.MaxInt64, -1
	quota := func(bytes int64) {
		_, err := fs.NameNode().Raw(t.Context(), "setQuota", pb.Message(nil).String(1, dir).Int(2, untouched).Int(3, bytes))
		require.NoError(t, err)
	}
	quota(2_000_000)
	w, err := fs.Create(t.Context(), dir+"/quota", dfs.CreateOptions{BlockSize: 1 << 20})
	require.NoError(t, err)
	_, err = w.Write(make([]byte, 1<<20))
	if err == nil {
		err = w.Close()
	}
	w.Abort()
	require.True(t, failure.Is(err, failure.DiskFull), "%v", err)
	gone, err := dfs.Exists(t.Context(), fs, dir+"/quota")
	require.NoError(t, err)
	require.False(t, gone, "no unfinished file stays")
	quota(never)

	w, err = fs.Create(t.Context(), dir+"/lease", dfs.CreateOptions{})
	require.NoError(t, err)
	defer w.Abort()
	second := connect(t, c)
	_, err = second.Create(t.Context(), dir+"/lease", dfs.CreateOptions{Append: true})
	require.True(t, failure.Is(err, failure.Exists), "%v", err)
	require.ErrorContains(t, err, "another client writes the file")

	const leave, enter = 1, 2
	safeMode := func(action uint64) {
		_, err := fs.NameNode().Raw(t.Context(), "setSafeMode", pb.Message(nil).Uint(1, action))
		require.NoError(t, err)
	}
	safeMode(enter)
	patient := connect(t, c, "howdah.hdfs.safemode.timeout=1000")
	err = patient.Mkdir(t.Context(), dir+"/safe")
	require.True(t, failure.Is(err, failure.Unreachable), "%v", err)
	require.ErrorContains(t, err, "safe mode")
	time.AfterFunc(2*time.Second, func() { safeMode(leave) })
	require.NoError(t, fs.Mkdir(t.Context(), dir+"/safe"), "a waiting client succeeds")
}
