//go:build integration

package secured

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/integration/apachehadoop"
	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/job/failure"
)

// On a cluster that trusts user names, the client, the children, and the JobTracker all act as the
// job's user. The JobTracker has no special rights.
func TestOpenCluster(t *testing.T) {
	ctx := needs(t)
	hadoop, err := apachehadoop.Start(ctx, filepath.Join(t.TempDir(), "open"), apachehadoop.Options{})
	require.NoError(t, err)
	defer hadoop.Stop()
	as := func(user string) dfs.FileSystem {
		t.Setenv("HADOOP_USER_NAME", user)
		c := conf.New()
		set(c, map[string]string{"fs.defaultFS": hadoop.URI(), "dfs.replication": "1"})
		fs, err := open(c)
		require.NoError(t, err)
		return fs
	}
	t.Setenv("HADOOP_USER_NAME", "")
	c := conf.New()
	c.Set("fs.defaultFS", hadoop.URI(), "test")
	root, err := open(c)
	require.NoError(t, err)
	for _, user := range []string{"alice", "bob", "mapred"} {
		require.NoError(t, root.Mkdir(ctx, "/user/"+user))
		require.NoError(t, root.SetMeta(ctx, "/user/"+user, dfs.Meta{Owner: &user}))
		require.NoError(t, root.SetMeta(ctx, "/user/"+user, metaMode(0o700)))
	}
	alice, bob := as("alice"), as("bob")
	put(t, ctx, alice, "/user/alice/in/a.txt", "b a b\n")

	jobs := minicluster.Start(t, minicluster.Options{Set: []string{"fs.defaultFS=" + hadoop.URI(), "dfs.replication=1",
		"hadoop.job.ugi=mapred", "howdah.tasktracker.run-as=tracker",
		"mapreduce.jobtracker.staging.root.dir=/user", "mapreduce.jobtracker.system.dir=/user/mapred/system"}})
	r := jobs.Howdah("run", "wordcount", "-D", "hadoop.job.ugi=alice", "in", "out")
	require.NotEqual(t, 0, r.Code, "only mapred may use the system directory")
	mode := uint32(0o711)
	require.NoError(t, root.SetMeta(ctx, "/user/mapred", dfs.Meta{Mode: &mode}))
	r = jobs.Howdah("run", "wordcount", "-D", "hadoop.job.ugi=alice", "in", "out")
	require.Equal(t, 0, r.Code, "%s", r.Err)
	for _, name := range []string{"/user/alice/out", "/user/alice/out/_SUCCESS", "/user/alice/out/part-r-00000",
		"/user/alice/.staging"} {
		info, err := alice.Stat(ctx, name)
		require.NoError(t, err)
		require.Equal(t, "alice", info.Owner, name)
	}
	_, err = bob.List(ctx, "/user/alice/.staging")
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	r = jobs.Howdah("run", "wordcount", "-D", "hadoop.job.ugi=bob", "/user/alice/in", "/user/bob/out")
	require.Equal(t, 2, r.Code, "%s", r.Err)
	require.Contains(t, r.Err, "Permission denied: user=bob")
	r = jobs.Howdah("run", "wordcount", "-D", "hadoop.job.ugi=alice", "/user/alice/in", "/user/bob/out")
	require.Equal(t, 2, r.Code, "%s", r.Err)
	require.Contains(t, r.Err, "Permission denied: user=alice")
}
