package lab

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mrcluster/provision/netns"
)

// Nodes that are processes reach their manager on loopback. Namespaces have a loopback of their own,
// so the manager must listen elsewhere.
func TestNetworkOfPool(t *testing.T) {
	settings := func(p *Pool) map[string]string {
		out := map[string]string{}
		for _, x := range p.network() {
			out[x.Name] = x.Value
		}
		return out
	}
	require.Equal(t, map[string]string{"howdah.mrcluster.manager.address": "127.0.0.1:0",
		"howdah.mrcluster.manager.http.address": "127.0.0.1:0"}, settings(&Pool{}))
	apart := settings(&Pool{apart: &netns.Config{Mbit: 80, Cores: 0.2}})
	require.Equal(t, "netns", apart["howdah.mrcluster.backend"])
	require.NotContains(t, apart, "howdah.mrcluster.manager.address")
	c := conf.New()
	c.Set("howdah.security.secret.file", "/etc/secret", "test")
	for name, value := range apart {
		c.Set(name, value, "test")
	}
	cfg, err := netns.FromConf(c)
	require.NoError(t, err)
	require.EqualValues(t, 80, cfg.Mbit)
	require.Equal(t, 0.2, cfg.Cores)
}
