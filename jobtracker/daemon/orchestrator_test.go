package daemon

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/orchestrator"
)

// Heartbeats pass all required data to the manager and its advice to the trackers.
func TestGlobalManager(t *testing.T) {
	var none *global
	require.Nil(t, none.beat(0, 1, &heartbeat.Shares{}))
	require.Nil(t, newGlobal(orchestrator.Settings{}, 0))
	g := newGlobal(orchestrator.Settings{Mode: orchestrator.On, Config: orchestrator.DefaultConfig()}, 0)
	beat := func(now int64, s *tracker.Shares) *tracker.Advice { return toAdvice(g.beat(now, 1, fromShares(s))) }
	require.Nil(t, beat(0, nil), "a tracker that takes no part")
	s := &tracker.Shares{Cpu: 1000, Memory: 1000, Attempt: &tracker.Attempts{Job: []int32{1, 1, 0, 1, 1},
		Index: []int32{0, 1, 0, -1, 2}},
		CpuUsed: []int64{300, 700, 0, 0, math.MinInt64}, MemoryUsed: []int64{90, 10}, CpuHeld: []int64{500, 500},
		MemoryHeld: []int64{100, 300, 0, 0, math.MaxInt64},
		Left:       []int64{50_000, 10_000, 0, 0, math.MaxInt64}, Elapsed: []int64{0, 0, 0, 0, math.MaxInt64}}
	require.Nil(t, beat(19_000, s))
	g.machine.Tick(20_000, nil, nil)
	require.Equal(t, 3, beat(20_500, nil).GetAttempt().Len(), "advice does not wait for the next report")
	require.Nil(t, beat(20_600, nil), "it is given once")
	advice := beat(21_000, s)
	require.Equal(t, 3, advice.Attempt.Len())
	require.EqualValues(t, 1, advice.Epoch)
	require.EqualValues(t, 500, advice.CpuMean[1], "one that uses nothing, not even memory, was not measured")
}

// A halted manager does not keep requesting missed decisions.
func TestHaltedManagerRests(t *testing.T) {
	file := filepath.Join(t.TempDir(), "halt")
	c := orchestrator.DefaultConfig()
	g := newGlobal(orchestrator.Settings{Mode: orchestrator.On, Config: c, HaltGlobal: file}, 0)
	require.EqualValues(t, c.Epoch-5, g.wait(5, g.halted()))
	require.EqualValues(t, 1, g.wait(c.Epoch+9, g.halted()))
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	require.Equal(t, c.Sample, g.wait(c.Epoch+9, g.halted()))
}
