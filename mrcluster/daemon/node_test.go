package daemon

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
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
		cfg.Set(KeyAgentHost, c.host, "test")
		n, err := NodeFromConf(cfg, []string{"127.0.0.1:1"})
		require.NoError(t, err)
		require.Equal(t, c.want, n.Host, c)
	}
}
