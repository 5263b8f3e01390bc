package netns

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster/provision/subnet"
)

// The tests that need root are in integration/pool.

func TestFromConf(t *testing.T) {
	_, err := FromConf(conf.New())
	require.ErrorContains(t, err, "howdah.security.secret.file is not set")
	c := conf.New()
	c.Set("howdah.security.secret.file", "/etc/secret", "test")
	cfg, err := FromConf(c)
	require.NoError(t, err)
	require.Zero(t, cfg.Mbit)
	require.Zero(t, cfg.Cores)
	c.Set("howdah.mrcluster.netns.rate.mbit", "80", "test")
	c.Set("howdah.mrcluster.netns.cores", "0.2", "test")
	cfg, err = FromConf(c)
	require.NoError(t, err)
	require.Equal(t, Config{Mbit: 80, Cores: 0.2, Mount: "/sys/fs/cgroup", Hierarchy: "/howdah"}, cfg)
	for key, value := range map[string]string{"howdah.mrcluster.netns.cores": "0.001",
		"howdah.mrcluster.netns.rate.mbit": "-1"} {
		c := conf.New()
		c.Set("howdah.security.secret.file", "/etc/secret", "test")
		c.Set(key, value, "test")
		_, err := FromConf(c)
		require.True(t, failure.Is(err, failure.Config), "%s=%s: %v", key, value, err)
	}
}

func TestNumbers(t *testing.T) {
	b := &Backend{dir: t.TempDir(), name: "hwd012345", net: "10.64.0"}
	require.NoError(t, os.MkdirAll(b.names(""), 0o755))
	for i := range subnet.Last - subnet.First + 1 {
		n, err := b.take(fmt.Sprint("n", i))
		require.NoError(t, err)
		require.Equal(t, subnet.First+i, n)
	}
	_, err := b.take("one-more")
	require.True(t, failure.Is(err, failure.Limit), "%v", err)
	require.NoError(t, os.Remove(b.numberFile("n7")))
	n, err := b.take("one-more")
	require.NoError(t, err)
	require.Equal(t, subnet.First+7, n)
	n, err = b.take("n3")
	require.NoError(t, err)
	require.Equal(t, subnet.First+3, n, "a node keeps its number")
	require.LessOrEqual(t, len(b.cable(subnet.Last)), 15, "the kernel's limit for names of devices")
	nodes, err := b.List(t.Context())
	require.NoError(t, err)
	require.Len(t, nodes, subnet.Last-subnet.First+1)
}

func TestShape(t *testing.T) {
	b := &Backend{cfg: Config{Mbit: 80}}
	require.Equal(t, []string{"qdisc", "replace", "dev", "eth0", "root", "tbf", "rate", "80mbit", "burst", "65536",
		"latency", "50ms"}, b.shape("eth0"))
	b.cfg.Mbit = 10_000
	require.Equal(t, "5000000", b.shape("eth0")[8+1])
}
