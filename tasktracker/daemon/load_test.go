package daemon

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/tasktracker"
)

func TestOthersLoad(t *testing.T) {
	require.EqualValues(t, 300_000, others(cpuTimes{100, 50, 10}, cpuTimes{200, 130, 60}))
	require.Zero(t, others(cpuTimes{100, 50, 10}, cpuTimes{200, 60, 40}), "own times can be newer than the node's")
	require.Zero(t, others(cpuTimes{100, 50, 10}, cpuTimes{100, 50, 10}))
	require.EqualValues(t, 1_000_000, others(cpuTimes{}, cpuTimes{all: 10, busy: 12}))
	require.EqualValues(t, 250_000, smooth(0, 1_000_000))
	require.EqualValues(t, 1_000_000, smooth(1_000_000, 1_000_000))
}

func TestLoadIsTold(t *testing.T) {
	c := startCluster(t, func(cfg *Config) { cfg.Warm = 0 })
	c.d.post(tasktracker.Input{Kind: tasktracker.InLoad, OtherLoad: 123_456})
	c.jt.await(t, "a beat that tells it", func() bool {
		return len(c.jt.reports) > 0 && c.jt.reports[len(c.jt.reports)-1].OtherLoad == 123_456
	})
}

func TestLoadIsMeasured(t *testing.T) {
	c := startCluster(t, func(cfg *Config) { cfg.Warm, cfg.LoadInterval = 0, 5*time.Millisecond })
	c.d.otherLoad.Store(-1)
	if _, err := readCPU(); err != nil {
		t.Skip(err)
	}
	require.Eventually(t, func() bool { return c.d.otherLoad.Load() >= 0 }, patience, time.Millisecond)
}
