package daemon

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// TestHostOfANode checks that a node's host is the address at which the node gossips. If the node
// gossips at all of its addresses, its host is the host name.
func TestHostOfANode(t *testing.T) {
	name, err := os.Hostname()
	require.NoError(t, err)
	for _, c := range []struct{ gossip, host, want string }{
		{"", "", "127.0.0.1"},
		{"10.1.2.3:7946", "", "10.1.2.3"},
		{"0.0.0.0:7946", "", name},
		{"[::]:7946", "", name},
		{"0.0.0.0:7946", "10.1.2.3", "10.1.2.3"},
	} {
		cfg := shared(t)
		cfg.Set("howdah.gossip.address", c.gossip, "test")
		cfg.Set(conf.MRClusterAgentHost.Name, c.host, "test")
		n, err := NodeFromConf(cfg, []string{"127.0.0.1:1"})
		require.NoError(t, err)
		require.Equal(t, c.want, n.Host, c)
	}
}

// TestAgentOfOtherHostsNeedsASecret checks that an agent which gossips at its host's address needs the
// cluster's secret, even if it has no address of its own for the gossip.
func TestAgentOfOtherHostsNeedsASecret(t *testing.T) {
	c := conf.New()
	c.Set("hadoop.tmp.dir", t.TempDir(), "test")
	c.Set(conf.MRClusterAgentHost.Name, "10.1.2.3", "test")
	_, err := NodeFromConf(c, []string{"127.0.0.1:1"})
	require.True(t, failure.Is(err, failure.Config), "%v", err)
	require.ErrorContains(t, err, "howdah.security.secret.file")
}
