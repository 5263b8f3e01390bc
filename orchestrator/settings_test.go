package orchestrator

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
)

// TestDefaultsOfKeys checks that the defaults of the configuration keys are the package's defaults.
func TestDefaultsOfKeys(t *testing.T) {
	s, err := FromConf(conf.New())
	require.NoError(t, err)
	require.Equal(t, Settings{Mode: Off, Config: DefaultConfig()}, s)
}

func TestKeys(t *testing.T) {
	c := conf.New()
	for k, v := range map[string]string{"howdah.orchestrator": "watch", "howdah.orchestrator.control": "memory",
		"howdah.orchestrator.estimator": "uniform",
		"howdah.orchestrator.epoch.ms":  "2000", "howdah.orchestrator.sample.ms": "500",
		"howdah.orchestrator.floor.cpu": "10", "howdah.orchestrator.straggle": "30",
		"howdah.orchestrator.headroom": "5", "howdah.orchestrator.change": "3",
		"howdah.orchestrator.coordinate": "false", "howdah.orchestrator.lend": "false",
		"howdah.orchestrator.node.cpu": "200", "howdah.orchestrator.global.halt.file": "/a",
		"howdah.orchestrator.local.halt.file": "/b"} {
		c.Set(k, v, "test")
	}
	s, err := FromConf(c)
	require.NoError(t, err)
	want := DefaultConfig()
	want.Control[CPU], want.Estimator, want.Epoch, want.Sample, want.Floor, want.Coordinate, want.Lend = false, "uniform",
		2000, 500, 100_000, false, false
	want.Straggle, want.Headroom, want.MinChange = 300_000, 50_000, 30_000
	require.Equal(t, Settings{Mode: Watch, Config: want, NodeCPU: 200, HaltGlobal: "/a", HaltLocal: "/b"}, s)

	c = conf.New()
	c.Set("howdah.orchestrator.control", "cpu", "test")
	c.Set("howdah.orchestrator.epoch.ms", "5000", "test")
	s, err = FromConf(c)
	require.NoError(t, err, "an epoch of one sample")
	require.Equal(t, [NumResources]bool{true, false}, s.Config.Control)

	for k, v := range map[string]string{"howdah.orchestrator": "yes", "howdah.orchestrator.control": "disk",
		"howdah.orchestrator.estimator": "magic",
		"howdah.orchestrator.epoch.ms":  "100", "howdah.orchestrator.step": "-1"} {
		c := conf.New()
		c.Set(k, v, "test")
		_, err := FromConf(c)
		require.ErrorContains(t, err, k+"="+v)
	}
}
