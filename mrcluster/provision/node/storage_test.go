package node

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
)

// TestWhatRunsWhere checks that core and transient-core nodes run a DataNode and that the master
// node runs the NameNode. Nodes of an MR-cluster without its own HDFS run neither.
func TestWhatRunsWhere(t *testing.T) {
	n := newNode(t, t.TempDir(), "a")
	s := newDeployment(n, identity{"c", 1}).services
	for _, c := range []struct {
		kind         mrcluster.Kind
		master, hdfs bool
		want         string
	}{
		{mrcluster.Core, true, true, "namenode datanode jobtracker tasktracker"},
		{mrcluster.Core, false, true, "datanode tasktracker"},
		{mrcluster.TransientCore, false, true, "datanode tasktracker"},
		{mrcluster.Transient, false, true, "tasktracker"},
		{mrcluster.Core, true, false, "jobtracker tasktracker"},
		{mrcluster.TransientCore, false, false, "tasktracker"},
	} {
		want := mrcluster.Desired{Cluster: "c", Deployment: 1, Kind: c.kind, Master: c.master,
			Spec: &mrcluster.Spec{Name: "c", Core: 1, HDFS: c.hdfs}}
		var names []string
		for _, build := range s.wanted(want) {
			role, _ := build(want)
			names = append(names, role.name)
		}
		require.Equal(t, c.want, strings.Join(names, " "), "%+v", c)
	}
}

// TestReplication checks that the default replication does not exceed the number of core nodes,
// because DataNodes could never leave otherwise. A setting overrides the default.
func TestReplication(t *testing.T) {
	n := newNode(t, t.TempDir(), "a")
	s := newDeployment(n, identity{"c", 1}).services
	for core, want := range map[int]string{1: "1", 2: "2", 3: "3", 10: "3"} {
		d := mrcluster.Desired{Spec: &mrcluster.Spec{Name: "c", Core: core, HDFS: true}}
		require.Equal(t, want, s.settings(d, "tasktracker").Get("dfs.replication"))
		require.Equal(t, min(core, 3), s.daemon(d, dataNodeName, "h:1").Replication)
	}
	d := mrcluster.Desired{Spec: &mrcluster.Spec{Name: "c", Core: 5, HDFS: true, Conf: []string{"dfs.replication=1"}}}
	require.Equal(t, "1", s.settings(d, "tasktracker").Get("dfs.replication"))
	require.Equal(t, 1, d.Spec.Replicas())
	require.Equal(t, "1", lookup(s.daemon(d, dataNodeName, "h:1").Settings, "dfs.replication"))
}

// TestWishes checks that CheckWishes rejects a setting without effect, even under its deprecated
// name.
func TestWishes(t *testing.T) {
	check := func(hdfs bool, kv string) error {
		return CheckWishes(&mrcluster.Spec{Name: "c", Core: 1, HDFS: hdfs, Conf: []string{"dfs.replication=1", kv}}, true)
	}
	for _, kv := range []string{"mapreduce.cluster.local.dir=/disk", "mapred.local.dir=/disk", "hadoop.tmp.dir=/t",
		"howdah.gossip.address=h:1", "howdah.security.token.file=/t", "howdah.security.secret.file=/t",
		"hadoop.security.auth_to_local=RULE:[1:root]", "mapreduce.tasktracker.kerberos.principal=me/_HOST",
		"mapreduce.jobtracker.keytab.file=/t", "hadoop.security.authentication=simple", "hadoop.proxyuser.me.users=*",
		"howdah.mrcluster.interval.ms=1"} {
		err := check(false, kv)
		require.True(t, failure.Is(err, failure.Usage), "%s: %v", kv, err)
		require.ErrorContains(t, err, kv)
	}
	require.NoError(t, check(false, "mapreduce.jobtracker.system.dir=file:/s"))
	require.ErrorContains(t, check(true, "mapreduce.jobtracker.system.dir=file:/s"), "HDFS")
	require.NoError(t, check(true, "mapreduce.tasktracker.map.tasks.maximum=4"))
}

func lookup(all []conf.Property, name string) string {
	for _, p := range all {
		if p.Name == name {
			return p.Value
		}
	}
	return ""
}

// TestNoJars checks that a node reports missing Hadoop jars immediately.
func TestNoJars(t *testing.T) {
	n := newNode(t, t.TempDir(), "a")
	want := master("c", 1)
	want.Spec.HDFS = true
	n.Apply(want)
	await(t, "the reason", func() bool { return strings.Contains(n.Runs()[0].Err, "howdah.mrcluster.hdfs.jars") })
}
