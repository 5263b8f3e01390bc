package hdfs

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/hdfs/transfer"
	"github.com/howdah/howdah/job/failure"
)

func config(settings ...string) *conf.Config {
	c := conf.New()
	for _, s := range settings {
		k, v, _ := strings.Cut(s, "=")
		c.Set(k, v, "-D")
	}
	return c
}

var services = []string{"dfs.nameservices=one, pair", "dfs.namenode.rpc-address.one=h1:9820",
	"dfs.ha.namenodes.pair=nn1,nn2",
	"dfs.namenode.rpc-address.pair.nn1=h2", "dfs.namenode.rpc-address.pair.nn2=h3:9001"}

func TestWhereNameNodesAre(t *testing.T) {
	for authority, want := range map[string][]string{
		"host": {"host:8020"}, "host:9000": {"host:9000"}, "one": {"h1:9820"}, "pair": {"h2:8020", "h3:9001"},
		"pair:8020": {"h2:8020", "h3:9001"}, "one:7": {"one:7"}, "[::1]:9000": {"[::1]:9000"}, "10.1.2.3": {"10.1.2.3:8020"},
	} {
		o, err := FromConf(config(services...), authority)
		require.NoError(t, err)
		require.Equal(t, want, o.NameNode.Addrs)
		require.Equal(t, strings.HasPrefix(authority, "pair"), o.NameNode.Service == "pair")
	}
	_, err := FromConf(config(services...), "pair:9000")
	require.True(t, failure.Is(err, failure.Usage), "%v", err)
	for _, bad := range []string{"", "host:0", "host:x", "a b", "user@host", ":9000"} {
		_, err := FromConf(config(), bad)
		require.True(t, failure.Is(err, failure.Usage), "%q: %v", bad, err)
	}
	_, err = FromConf(config("dfs.nameservices=x"), "x")
	require.True(t, failure.Is(err, failure.Config), "%v", err)
	require.ErrorContains(t, err, "dfs.namenode.rpc-address.x is not set")
	_, err = FromConf(config("dfs.nameservices=x", "dfs.namenode.rpc-address.x=a:b"), "x")
	require.True(t, failure.Is(err, failure.Config), "%v", err)
}

func TestSettings(t *testing.T) {
	o, err := FromConf(config(), "h")
	require.NoError(t, err)
	require.Equal(t, 3, o.Replication)
	require.EqualValues(t, 128<<20, o.BlockSize)
	require.EqualValues(t, 0o022, o.Umask)
	require.Equal(t, transfer.Checksum{Type: transfer.CRC32C, Chunk: 512}, o.Checksum)
	o, err = FromConf(config("dfs.checksum.type=CRC32", "dfs.block.size=64m", "howdah.hdfs.write.buffer=0",
		"dfs.client.socketcache.capacity=0"), "h")
	require.NoError(t, err)
	require.Equal(t, transfer.CRC32, o.Checksum.Type)
	require.EqualValues(t, 64<<20, o.BlockSize)
	require.Negative(t, o.Buffer)
	require.Negative(t, o.Transfer.CacheMax)
	require.Equal(t, 10*time.Second, o.NameNode.FirstContact)
	o, err = FromConf(config("mapreduce.task.attempt.id=x"), "h")
	require.NoError(t, err)
	require.Equal(t, 2*time.Minute, o.NameNode.FirstContact, "a task knows that there is a NameNode")
	for _, bad := range []string{"dfs.checksum.type=MD5", "dfs.blocksize=1000", "dfs.replication=0",
		"dfs.client.socket-timeout=-1", "fs.permissions.umask-mode=9", "ipc.ping.interval=x"} {
		_, err := FromConf(config(bad), "h")
		require.True(t, failure.Is(err, failure.Config), "%q: %v", bad, err)
	}
}

// TestDefaultReplication checks that an HDFS with few nodes can set a default replication. The
// default does not affect callers that set another number or use another HDFS.
func TestDefaultReplication(t *testing.T) {
	for _, c := range []struct {
		authority string
		set       []string
		want      int
	}{
		{"own:1", nil, 2}, {"other:1", nil, 3}, {"own:1", []string{"dfs.replication=5"}, 5},
	} {
		o, err := FromConf(config(append(c.set, "fs.defaultFS=hdfs://own:1", "howdah.hdfs.default.replication=2")...),
			c.authority)
		require.NoError(t, err)
		require.Equal(t, c.want, o.Replication, "%+v", c)
	}
	_, err := FromConf(config("fs.defaultFS=hdfs://own:1", "howdah.hdfs.default.replication=0"), "own:1")
	require.True(t, failure.Is(err, failure.Config), err)
}

// TestPacketSize checks that packets contain whole chunks, whatever the configured size.
func TestPacketSize(t *testing.T) {
	for _, c := range [][3]int{{65536, 512, 65536}, {70_000, 512, 69_632}, {512, 4096, 4096}, {1000, 300, 900}} {
		o := Options{PacketSize: c[0], Checksum: transfer.Checksum{Type: transfer.CRC32, Chunk: c[1]}}.withDefaults()
		require.Equal(t, c[2], o.PacketSize)
	}
}

func TestUmask(t *testing.T) {
	for v, want := range map[string]uint32{"022": 0o022, "0": 0, "077": 0o077, "u=rwx,g=rx,o=rx": 0o022,
		"u=rwx,g=r-x,o=": 0o027, "u=rwx": 0o077} {
		got, err := umask(config("fs.permissions.umask-mode=" + v))
		require.NoError(t, err, v)
		require.Equal(t, want, got, v)
	}
	for _, v := range []string{"888", "a=rwx", "u=q", "u", "01777"} {
		_, err := umask(config("fs.permissions.umask-mode=" + v))
		require.Error(t, err, v)
	}
}
