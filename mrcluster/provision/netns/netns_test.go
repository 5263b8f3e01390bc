package netns

import (
	"fmt"
	"net"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// What needs root is in integration/pool.

func TestFromConf(t *testing.T) {
	c := conf.New()
	cfg, err := FromConf(c)
	require.NoError(t, err)
	require.Zero(t, cfg.Mbit)
	require.Zero(t, cfg.Cores)
	c.Set("howdah.mrcluster.netns.rate.mbit", "80", "test")
	c.Set("howdah.mrcluster.netns.cores", "0.2", "test")
	cfg, err = FromConf(c)
	require.NoError(t, err)
	require.Equal(t, Config{Mbit: 80, Cores: 0.2, Mount: "/sys/fs/cgroup"}, cfg)
	for key, value := range map[string]string{"howdah.mrcluster.netns.cores": "0.001", "howdah.mrcluster.netns.rate.mbit": "-1"} {
		c := conf.New()
		c.Set(key, value, "test")
		_, err := FromConf(c)
		require.True(t, failure.Is(err, failure.Config), "%s=%s: %v", key, value, err)
	}
}

func TestSubnetsDoNotMeet(t *testing.T) {
	network := func(s string) net.Addr {
		ip, n, err := net.ParseCIDR(s)
		require.NoError(t, err)
		return &net.IPNet{IP: ip, Mask: n.Mask}
	}
	require.True(t, free("10.64.3", []net.Addr{network("10.64.2.1/24"), network("127.0.0.1/8")}))
	require.False(t, free("10.64.3", []net.Addr{network("10.64.0.1/16")}))
	require.False(t, free("10.64.3", []net.Addr{network("10.64.3.200/32")}))
}

func TestNumbers(t *testing.T) {
	b := &Backend{dir: t.TempDir(), name: "hwd012345", net: "10.64.0"}
	require.NoError(t, os.MkdirAll(b.names(""), 0o755))
	for i := range lastNode - firstNode + 1 {
		n, err := b.take(fmt.Sprint("n", i))
		require.NoError(t, err)
		require.Equal(t, firstNode+i, n)
	}
	_, err := b.take("one-more")
	require.True(t, failure.Is(err, failure.Limit), "%v", err)
	require.NoError(t, os.Remove(b.numberFile("n7")))
	n, err := b.take("one-more")
	require.NoError(t, err)
	require.Equal(t, firstNode+7, n)
	n, err = b.take("n3")
	require.NoError(t, err)
	require.Equal(t, firstNode+3, n, "a node keeps its number")
	require.LessOrEqual(t, len(b.cable(lastNode)), 15, "the kernel's limit for names of devices")
	nodes, err := b.List(t.Context())
	require.NoError(t, err)
	require.Len(t, nodes, lastNode-firstNode+1)
}

func TestShape(t *testing.T) {
	b := &Backend{cfg: Config{Mbit: 80}}
	require.Equal(t, []string{"qdisc", "replace", "dev", "eth0", "root", "tbf", "rate", "80mbit", "burst", "65536", "latency", "50ms"}, b.shape("eth0"))
	b.cfg.Mbit = 10_000
	require.Equal(t, "5000000", b.shape("eth0")[8+1])
}
