//go:build integration

package apachehadoop

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/hdfs"
	"github.com/howdah/howdah/dfs/hdfs/admin"
	"github.com/howdah/howdah/dfs/hdfs/namenode"
	"github.com/howdah/howdah/internal/passwd"
)

// Kill and Restart work on NameNodes and DataNodes, and Pause on DataNodes. DataNodes join a running
// cluster and leave through the exclude file.
func TestParts(t *testing.T) {
	t.Parallel()
	if err := Available(); err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 8*time.Minute)
	defer cancel()
	c, err := Start(ctx, filepath.Join(t.TempDir(), "cluster"), Options{DataNodes: 2, Replication: 2,
		NameNode: []Setting{{"dfs.namenode.heartbeat.recheck-interval", "1000"}, {"dfs.namenode.decommission.interval", "1"},
			{"dfs.namenode.redundancy.interval.seconds", "1"}}, Site: []Setting{{"dfs.heartbeat.interval", "1"}}})
	require.NoError(t, err)
	defer c.Stop()
	_, err = c.Run(ctx, Shell, "-touchz", "/empty")
	require.NoError(t, err)

	require.NoError(t, c.Kill("datanode1"))
	require.Zero(t, c.Pid("datanode1"))
	require.NoError(t, c.AwaitLive(ctx, 1))
	name, err := c.AddDataNode(ctx)
	require.NoError(t, err)
	require.Equal(t, "datanode3", name)
	require.NoError(t, c.Restart(ctx, "datanode1"))
	require.NoError(t, c.AwaitLive(ctx, 3))

	require.NoError(t, c.Kill("namenode"))
	require.NoError(t, c.Restart(ctx, "namenode"))
	require.NoError(t, c.AwaitLive(ctx, 3))
	_, err = c.Run(ctx, Shell, "-put", c.ConfDir()+"/core-site.xml", "/f")
	require.NoError(t, err)
	total := 0
	for _, n := range []string{"datanode1", "datanode2", "datanode3"} {
		files, err := c.Replicas(n)
		require.NoError(t, err)
		total += len(files)
	}
	require.Equal(t, 2, total)

	require.NoError(t, c.Pause("datanode2"))
	require.NoError(t, c.AwaitLive(ctx, 2))
	require.NoError(t, c.Resume("datanode2"))
	require.NoError(t, c.AwaitLive(ctx, 3))

	decommission(t, ctx, c)
}

// decommission decommissions a DataNode with our own administration client without losing a block.
// Afterward the node serves again. A node can join only when the hosts file names it.
func decommission(t *testing.T, ctx context.Context, c *Cluster) {
	fs := hdfs.New(hdfs.Options{Authority: c.Addr("namenode"),
		NameNode: namenode.Options{Addrs: []string{c.Addr("namenode")}, User: passwd.Me()}})
	defer fs.Close()
	client := admin.New(fs.NameNode())
	hosts := &admin.Hosts{Include: c.includeFile(), Exclude: c.excludeFile()}
	state := func(name string) admin.State {
		all, err := client.Report(ctx)
		require.NoError(t, err)
		for _, d := range all {
			if d.Addr() == c.Addr(name) && d.Live {
				return d.State
			}
		}
		t.Fatal("not live: ", name)
		return 0
	}
	goes := c.Addr("datanode2")
	// Write enough blocks that some of them have a replica on datanode2.
	for i := range 10 {
		w, err := fs.Create(ctx, fmt.Sprint("/many/", i), dfs.CreateOptions{Replication: 2})
		require.NoError(t, err)
		_, err = w.Write([]byte("block"))
		require.NoError(t, err)
		require.NoError(t, w.Close())
	}
	require.NoError(t, hosts.Decommission(ctx, client, goes))
	looks := 0
	require.NoError(t, client.Await(ctx, []string{goes}, func(p admin.Progress) {
		looks++
		require.Len(t, append(p.Going, p.Gone...), 1)
	}))
	require.Positive(t, looks)
	require.Equal(t, admin.Decommissioned, state("datanode2"))
	require.NoError(t, c.Kill("datanode2"))
	for i := range 10 {
		f, err := fs.Open(ctx, fmt.Sprint("/many/", i))
		require.NoError(t, err)
		b, err := io.ReadAll(f)
		require.NoError(t, err)
		require.Equal(t, "block", string(b))
		require.NoError(t, f.Close())
	}

	require.NoError(t, c.Restart(ctx, "datanode2"))
	require.NoError(t, hosts.Join(ctx, client, goes))
	require.Equal(t, admin.InService, state("datanode2"))

	require.NoError(t, c.SetIncluded("datanode1", "datanode2", "datanode3"))
	require.NoError(t, client.RefreshNodes(ctx))
	require.NoError(t, c.SetIncluded("datanode1", "datanode3"))
	require.NoError(t, client.RefreshNodes(ctx))
	require.NoError(t, c.Await(ctx, "the node that is no longer listed", func() (bool, error) {
		all, err := client.Report(ctx)
		return !slices.ContainsFunc(all,
			func(d admin.DataNode) bool { return d.Addr() == goes && d.State == admin.InService && d.Live }), err
	}))
	require.NoError(t, hosts.Join(ctx, client, goes))
	require.NoError(t, c.Restart(ctx, "datanode2"))
	require.NoError(t, c.Await(ctx, "the node that is listed again", func() (bool, error) {
		all, err := client.Report(ctx)
		return slices.ContainsFunc(all, func(d admin.DataNode) bool {
			return d.Addr() == goes && d.State == admin.InService && d.Live
		}), err
	}))
}
