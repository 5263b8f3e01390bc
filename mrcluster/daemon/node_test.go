package daemon

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
)

// A node is reached at the address at which it gossips, by its name where that is all of its addresses.
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
		cfg := conf.New()
		cfg.Set("howdah.gossip.address", c.gossip, "test")
		cfg.Set(KeyAgentHost, c.host, "test")
		n, err := NodeFromConf(cfg, []string{"127.0.0.1:1"})
		require.NoError(t, err)
		require.Equal(t, c.want, n.Host, c)
	}
}

// The sample period is an option, like T (FAW section 4.2.2: "collect periodically samples").
func TestSamplePeriod(t *testing.T) {
	cfg := conf.New()
	for value, want := range map[string]time.Duration{"": time.Second, "250": 250 * time.Millisecond} {
		cfg.Set("howdah.mrcluster.sample.ms", value, "test")
		n, err := NodeFromConf(cfg, []string{"127.0.0.1:1"})
		require.NoError(t, err)
		require.Equal(t, want, n.Sample)
	}
	cfg.Set("howdah.mrcluster.sample.ms", "1", "test")
	_, err := NodeFromConf(cfg, []string{"127.0.0.1:1"})
	require.ErrorContains(t, err, "howdah.mrcluster.sample.ms")
}
