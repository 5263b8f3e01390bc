//go:build integration

package pool

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/hdfs"
	"github.com/howdah/howdah/dfs/hdfs/admin"
	"github.com/howdah/howdah/dfs/hdfs/namenode"
	"github.com/howdah/howdah/integration/apachehadoop"
	"github.com/howdah/howdah/integration/leftovers"
	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/internal/proctree"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/provision/node"
)

// A deployment with its own HDFS has a NameNode and a DataNode on its master, and a DataNode on a
// transient-core node. A transient node has no DataNode. Jobs use this HDFS. Its data survives
// restarts of all daemons and disappears with the deployment.
func TestHDFSOfItsOwn(t *testing.T) {
	leftovers.Check(t)
	if err := apachehadoop.Available(); err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	jars, err := apachehadoop.Jars(ctx)
	require.NoError(t, err)
	c := conf.New()
	c.Set("howdah.mrcluster.hdfs.jars", jars, "test")
	c.Set("howdah.mrcluster.hdfs.heap.mb", "200", "test")
	nodes := map[string]*node.Node{}
	dirs := map[string]string{}
	open := func(name string) {
		n, err := node.New(node.Config{Dir: dirs[name], Name: name, Program: minicluster.Binary(t), Conf: c,
			Master: func(context.Context, mrcluster.Desired) (node.Endpoints, error) {
				return nodes["core"].Endpoints(), nil
			}})
		require.NoError(t, err)
		nodes[name] = n
	}
	for _, name := range []string{"core", "tc", "tr"} {
		dirs[name] = filepath.Join(t.TempDir(), name)
		open(name)
		defer func() { nodes[name].Stop() }()
	}
	want := mrcluster.Desired{Cluster: "c", Deployment: 1, Kind: mrcluster.Core, Master: true,
		Spec: &mrcluster.Spec{Name: "c", Core: 1, HDFS: true}}
	others := want
	others.Master, others.MasterAddr = false, "core"
	apply := func() {
		for name, kind := range map[string]mrcluster.Kind{"tc": mrcluster.TransientCore, "tr": mrcluster.Transient} {
			d := others
			d.Kind = kind
			nodes[name].Apply(d)
		}
		nodes["core"].Apply(want)
	}
	up := func() bool {
		for _, n := range nodes {
			if runs := n.Runs(); len(runs) != 1 || runs[0].Phase != mrcluster.PhaseUp {
				if len(runs) == 1 && runs[0].Err != "" {
					t.Fatal(runs[0].Err)
				}
				return false
			}
		}
		return true
	}
	began := time.Now()
	apply()
	await(t, "all is up", up)
	t.Log("up after", time.Since(began))
	e := nodes["core"].Endpoints()
	require.NotEmpty(t, e.DataNode)
	require.NotEmpty(t, nodes["tc"].Endpoints().DataNode)
	require.Empty(t, nodes["tr"].Endpoints().DataNode)

	fs, nn := connect(t, e)
	all, err := admin.New(nn).Report(ctx)
	require.NoError(t, err)
	hosts := map[string]string{}
	for _, d := range all {
		hosts[d.Host] = d.Addr()
	}
	require.Equal(t, map[string]string{"core": e.DataNode, "tc": nodes["tc"].Endpoints().DataNode}, hosts,
		"DataNodes have the names of nodes")

	// A job reads from and writes to this HDFS.
	put(t, fs, "/in/f", "b a b\n")
	job := minicluster.Alone(t, "run", "-q", "-D", "mapreduce.framework.name=classic",
		"-D", "mapreduce.jobtracker.address="+e.JobTracker,
		"-D", "fs.defaultFS="+e.NameNode, "wordcount", "/in", "/out")
	require.Zero(t, job.Code, job.Err)
	require.Equal(t, "a\t1\nb\t2\n", get(t, fs, "/out/part-r-00000"))

	// A DataNode is decommissioned, even if it is the second of two.
	ha := &admin.Hosts{Exclude: e.ExcludeFile}
	leaves := nodes["tc"].Endpoints().DataNode
	require.NoError(t, ha.Decommission(ctx, admin.New(nn), leaves))
	require.NoError(t, admin.New(nn).Await(ctx, []string{leaves}, func(admin.Progress) {}))
	nodes["tc"].Apply(mrcluster.Desired{})
	await(t, "it has gone", func() bool { return len(nodes["tc"].Runs()) == 0 })
	require.Equal(t, "a\t1\nb\t2\n", get(t, fs, "/out/part-r-00000"))

	// All daemons exit and restart at the same addresses.
	for _, name := range []string{"tr", "core"} {
		nodes[name].Stop()
		require.Empty(t, proctree.Marked("HOWDAH_MRCLUSTER_NODE="+dirs[name]))
		open(name)
	}
	apply()
	await(t, "all is up again", up)
	require.Equal(t, e, nodes["core"].Endpoints())
	require.Equal(t, "a\t1\nb\t2\n", get(t, fs, "/out/part-r-00000"))

	for name, n := range nodes {
		n.Apply(mrcluster.Desired{})
		await(t, "nothing is left", func() bool { return len(n.Runs()) == 0 })
		left, err := os.ReadDir(filepath.Join(dirs[name], "deployments"))
		require.NoError(t, err)
		require.Empty(t, left)
	}
}

func connect(t *testing.T, e node.Endpoints) (dfs.FileSystem, *namenode.Client) {
	addr := strings.TrimPrefix(e.NameNode, "hdfs://")
	fs := hdfs.New(hdfs.Options{Authority: addr, NameNode: namenode.Options{Addrs: []string{addr}, User: passwd.Me()}})
	t.Cleanup(func() { fs.Close() })
	return fs, fs.NameNode()
}

func put(t *testing.T, fs dfs.FileSystem, name, text string) {
	w, err := fs.Create(t.Context(), name, dfs.CreateOptions{Replication: 3})
	require.NoError(t, err)
	_, err = fmt.Fprint(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
}

func get(t *testing.T, fs dfs.FileSystem, name string) string {
	f, err := fs.Open(t.Context(), name)
	require.NoError(t, err)
	defer f.Close()
	b, err := io.ReadAll(f)
	require.NoError(t, err)
	return string(b)
}

func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(3 * time.Minute); !ok(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("not in time: ", what)
		}
	}
}
