//go:build integration

package hdfs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/hdfs/admin"
	"github.com/howdah/howdah/integration/apachehadoop"
	"github.com/howdah/howdah/job/failure"
)

// impatient reduces the timeout for a silent DataNode to three seconds.
const impatient = "dfs.client.socket-timeout=3000"

// whole restarts or resumes a DataNode and waits until the cluster is complete.
func whole(t *testing.T, c *apachehadoop.Cluster, back func() error) {
	t.Helper()
	require.NoError(t, back())
	require.NoError(t, c.AwaitLive(t.Context(), 3))
}

// A DataNode dies or hangs while a client writes files, with and without buffers for whole blocks,
// and while a client reads a file. All operations continue.
func TestDataNodeFails(t *testing.T) {
	c := cluster(t)
	for name, f := range map[string]struct{ strike, back func() error }{
		"killed": {func() error { return c.Kill("datanode2") }, func() error { return c.Restart(t.Context(), "datanode2") }},
		"hangs":  {func() error { return c.Pause("datanode2") }, func() error { return c.Resume("datanode2") }},
	} {
		t.Run(name, func(t *testing.T) {
			fs, dir := open(t, c, impatient)
			bare := connect(t, c, impatient, "howdah.hdfs.write.buffer=0")
			const n, head = 20<<20 + 7, 6 << 20
			write(t, fs, dir+"/r", 3, n, n, nil)

			r, err := fs.Open(t.Context(), dir+"/r")
			require.NoError(t, err)
			defer r.Close()
			read := stream(3, n)
			begun := make([]byte, head)
			_, err = io.ReadFull(r, begun)
			require.NoError(t, err)
			_, err = io.CopyN(io.Discard, read, head)
			require.NoError(t, err)
			var writers []dfs.Writer
			var contents []io.Reader
			for i, on := range []dfs.FileSystem{fs, bare} {
				w, err := on.Create(t.Context(), fmt.Sprint(dir, "/w", i), dfs.CreateOptions{BlockSize: 4 << 20})
				require.NoError(t, err)
				writers, contents = append(writers, w), append(contents, stream(4, n))
				_, err = io.CopyN(w, contents[i], head)
				require.NoError(t, err)
			}

			require.NoError(t, f.strike())
			var wg sync.WaitGroup
			for i, w := range writers {
				wg.Go(func() {
					_, err := io.Copy(w, contents[i])
					assert.NoError(t, errors.Join(err, w.Close()))
				})
			}
			require.Equal(t, sum(t, read), sum(t, r))
			wg.Wait()
			requireFile(t, fs, dir+"/w0", 4, n)
			requireFile(t, fs, dir+"/w1", 4, n)
			whole(t, c, f.back)
		})
	}
}

// While the NameNode is down, open files stay usable, and operations that need the NameNode wait.
func TestNameNodeRestarts(t *testing.T) {
	c := cluster(t)
	fs, dir := open(t, c)
	const n = 16 << 20
	write(t, fs, dir+"/r", 4, n, n, nil)
	r, err := fs.Open(t.Context(), dir+"/r")
	require.NoError(t, err)
	defer r.Close()
	restarted := make(chan error, 1)
	write(t, fs, dir+"/w", 5, n, 1<<20, func(done int64) {
		if done == 6<<20 {
			require.NoError(t, c.Kill("namenode"))
			time.AfterFunc(5*time.Second, func() { restarted <- c.Restart(t.Context(), "namenode") })
			require.Equal(t, sum(t, stream(4, n)), sum(t, r))
		}
	})
	require.NoError(t, <-restarted)
	requireFile(t, fs, dir+"/w", 5, n)
	require.NoError(t, c.AwaitLive(t.Context(), 3))
}

// damage flips up to three bytes in every replica on a DataNode.
func damage(t *testing.T, c *apachehadoop.Cluster, node string) {
	t.Helper()
	files, err := c.Replicas(node)
	require.NoError(t, err)
	for _, name := range files {
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if os.IsNotExist(err) {
			continue // the replica has been deleted since it was listed
		}
		require.NoError(t, err)
		i, err := f.Stat()
		require.NoError(t, err)
		for _, at := range []int64{i.Size() / 3, i.Size() / 2, i.Size() - 1} {
			b := make([]byte, 1)
			if _, err := f.ReadAt(b, at); err == nil {
				b[0] ^= 0x55
				_, err = f.WriteAt(b, at)
				require.NoError(t, err)
			}
		}
		require.NoError(t, f.Close())
	}
}

// Two of three replicas are damaged on disk. No reader receives a wrong byte, and the client reports
// damaged replicas to the NameNode.
func TestDamagedReplicas(t *testing.T) {
	c := cluster(t)
	fs, dir := open(t, c)
	const n = 10 << 20
	write(t, fs, dir+"/f", 6, n, n, nil)
	awaitReplicas(t, fs, dir+"/f")
	damage(t, c, "datanode1")
	damage(t, c, "datanode2")
	for range 4 {
		requireFile(t, fs, dir+"/f", 6, n)
	}
	require.Positive(t, fs.Damaged())
	require.NoError(t, fs.Delete(t.Context(), "/test", true)) // the files of other tests are damaged, too
}

// A pair of NameNodes fails over while files are read and written.
func TestFailover(t *testing.T) {
	if err := apachehadoop.Available(); err != nil {
		t.Skip(err)
	}
	c, err := apachehadoop.Start(t.Context(), t.TempDir()+"/ha",
		apachehadoop.Options{HA: true, DataNodes: 1, NameNode: quick})
	require.NoError(t, err)
	defer c.Stop()
	fs, dir := open(t, c)
	require.Equal(t, "hdfs://ns1", fs.URI())
	const n = 16 << 20
	write(t, fs, dir+"/f", 7, n, 1<<20, func(done int64) {
		switch done {
		case 5 << 20:
			require.NoError(t, c.Failover(t.Context(), "namenode1", "namenode2"))
		case 11 << 20:
			require.NoError(t, c.Kill("namenode2"))
			require.NoError(t, c.Activate(t.Context(), "namenode1"))
		}
	})
	requireFile(t, fs, dir+"/f", 7, n)
	require.NoError(t, dfs.RenameOnce(t.Context(), fs, dir+"/f", dir+"/g"))
	requireFile(t, fs, dir+"/g", 7, n)

	// Each NameNode has its own safe mode, so the command must reach both of them.
	require.NoError(t, c.Restart(t.Context(), "namenode2"))
	require.NoError(t, c.Failover(t.Context(), "namenode1", "namenode2"))
	safeMode := func(action admin.SafeMode) {
		require.NoError(t, admin.New(fs.NameNode()).Each(func(_ string, one *admin.Client) error {
			_, err := one.SafeMode(t.Context(), action)
			return err
		}))
	}
	safeMode(admin.EnterSafeMode)
	err = connect(t, c, "howdah.hdfs.safemode.timeout=1000").Mkdir(t.Context(), dir+"/safe")
	require.True(t, failure.Is(err, failure.Unreachable), "%v", err)
	safeMode(admin.LeaveSafeMode)
	require.NoError(t, fs.Mkdir(t.Context(), dir+"/safe"))
}
