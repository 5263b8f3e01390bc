package daemon

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/orchestrator"
)

// Reports of trackers reach the manager with what cannot be left out, and its advice goes back.
func TestGlobalManager(t *testing.T) {
	var none *global
	require.Nil(t, none.beat(0, 1, &tracker.Shares{}))
	require.Nil(t, newGlobal(orchestrator.Settings{}, 0))
	g := newGlobal(orchestrator.Settings{Mode: orchestrator.On, Config: orchestrator.DefaultConfig()}, 0)
	require.Nil(t, g.beat(0, 1, nil), "a tracker that takes no part")
	at := func(index int32) *tracker.Attempt { return &tracker.Attempt{Job: 1, Index: index} }
	s := &tracker.Shares{Cpu: 1000, Memory: 1000, Task: []*tracker.TaskShare{
		{Attempt: at(0), CpuUsed: 300, MemoryUsed: 90, Cpu: 500, Memory: 100, Left: 50_000}, {Attempt: at(1), CpuUsed: 700, MemoryUsed: 10, Cpu: 500, Memory: 300, Left: 10_000},
		{}, {Attempt: at(-1)}, {Attempt: at(2), CpuUsed: math.MinInt64, Memory: math.MaxInt64, Left: math.MaxInt64, Elapsed: math.MaxInt64},
	}}
	require.Empty(t, g.beat(19_000, 1, s))
	g.machine.Tick(20_000, nil, nil)
	require.Len(t, g.beat(20_500, 1, nil), 3, "advice does not wait for the next report")
	require.Empty(t, g.beat(20_600, 1, nil), "it is given once")
	advice := g.beat(21_000, 1, s)
	require.Len(t, advice, 3)
	require.EqualValues(t, 1, advice[0].Epoch)
	require.EqualValues(t, 333, advice[1].CpuMean)
}

// A manager that stands still is not asked again and again for what it missed.
func TestHaltedManagerRests(t *testing.T) {
	file := filepath.Join(t.TempDir(), "halt")
	c := orchestrator.DefaultConfig()
	g := newGlobal(orchestrator.Settings{Mode: orchestrator.On, Config: c, HaltGlobal: file}, 0)
	require.EqualValues(t, c.Epoch-5, g.wait(5))
	require.EqualValues(t, 1, g.wait(c.Epoch+9))
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	require.Equal(t, c.Sample, g.wait(c.Epoch+9))
}
