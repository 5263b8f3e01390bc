package faw

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/daemon"
	"github.com/howdah/howdah/mrcluster/weight"
)

// A manager accepts the settings. The times and tau are those of the paper, scaled to the given speed.
func TestRealSettings(t *testing.T) {
	x := Real{Speed: 20, Pool: Pool{Interval: 60_000, Idle: 120_000, Policy: "TD", Grow: mrcluster.Transient,
		Shrink: mrcluster.Delayed, Queue: weight.Unfinished}}
	c := conf.New()
	for _, s := range x.settings() {
		key, value, ok := strings.Cut(s, "=")
		require.True(t, ok, s)
		c.Set(key, value, "test")
	}
	m, err := daemon.FromConf(c, "127.0.0.1")
	require.NoError(t, err)
	require.EqualValues(t, 3000, m.Machine.Interval)
	require.EqualValues(t, 6000, m.Machine.IdleAfter)
	require.InDelta(t, 10.0/400, m.Machine.Threshold, 1e-12, "D is in seconds, tau in their square")
	require.Equal(t, mrcluster.Transient, m.Machine.Grow)
	require.Equal(t, mrcluster.Delayed, m.Machine.Shrink)
	require.Equal(t, weight.TD{Queue: weight.Unfinished}, m.Weighting)
	require.Equal(t, "150", c.Get("howdah.jobtracker.heartbeat.interval.min"))
	require.Equal(t, "3000", c.Get("howdah.mrcluster.outputs.wait.ms"))
}
