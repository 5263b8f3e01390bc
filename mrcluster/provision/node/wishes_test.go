package node

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
)

// TestWishesOfUsers checks that a user's settings cannot point the daemons, which run as the agent's
// user, at a file, a directory, a program, or an address.
func TestWishesOfUsers(t *testing.T) {
	check := func(kv string, admin bool) error {
		return CheckWishes(&mrcluster.Spec{Name: "c", Core: 1, Conf: []string{kv}}, admin)
	}
	for _, kv := range []string{
		"mapreduce.jobtracker.system.dir=file:/root/x", "mapreduce.jobtracker.staging.root.dir=file:/etc",
		"mapred.system.dir=file:/root/x", "mapreduce.jobhistory.done-dir=file:/root/.ssh",
		"mapreduce.jobtracker.hosts.filename=/etc/shadow", "howdah.capacity.file=/etc/shadow",
		"mapred.fairscheduler.allocation.file=/etc/shadow", "howdah.security.kerberos.keytab=/etc/krb5.keytab",
		"howdah.orchestrator.global.halt.file=/root/x", "howdah.tasktracker.cgroups.mount=/", "fs.defaultFS=file:///",
		"mapreduce.cluster.administrators=mallory", "howdah.security.web.hosts=evil",
		"howdah.security.rpc.addresses=:1",
		"howdah.jobtracker.notification.hosts=169.254.169.254", "net.topology.script.file.name=/tmp/x",
		"dfs.namenode.name.dir=/root", "hadoop.security.credential.provider.path=jceks://file/etc/x", "key=value",
		" mapreduce.map.maxattempts=1", "mapreduce.cluster.acls.enabled=false", "ipc.maximum.data.length=1",
		"howdah.ipc.memory=1t", "howdah.tasktracker.warm.children=1000",
		"mapreduce.tasktracker.local.dir.minspacestart=0", "howdah.jobtracker.user.conf.maximum=0",
		"mapreduce.task.userlog.limit.kb=0", "mapreduce.map.maxattempts=${env.SECRET}",
		conf.SecurityJobClientProtocolACL.Name + "=${env.SECRET}"} {
		err := check(kv, false)
		require.True(t, failure.Is(err, failure.Permission), "%s: %v", kv, err)
		require.ErrorContains(t, err, kv)
		require.NoError(t, check(kv, true), "an administrator may")
	}
	for _, kv := range []string{"mapreduce.tasktracker.map.tasks.maximum=4", "mapred.tasktracker.map.tasks.maximum=4",
		"mapreduce.jobtracker.taskscheduler=fair", conf.SecurityJobClientProtocolACL.Name + "=bob ops", "dfs.replication=2",
		"howdah.speculation=late"} {
		require.NoError(t, check(kv, false), kv)
	}
	require.True(t, failure.Is(check("hadoop.tmp.dir=/t", false), failure.Usage), "each node sets it itself")
}
