package serve

import (
	"context"
	"math"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The limit keeps a small heap within the goal. It lets a larger heap grow almost to twice its size,
// and a large one by a little more than a quarter.
func TestSoftLimit(t *testing.T) {
	for live, want := range map[int64]int64{0: goal, goal / 2: goal, goal * 3 / 4: goal, goal: goal * 3 / 2,
		2 * goal:  goal * 11 / 4,
		10 * goal: 10*goal*5/4 + goal/16} {
		var l softLimit
		for range len(l) - 1 {
			require.EqualValues(t, goal, l.next(live), "%d: only some collections found so much", live)
		}
		require.Equal(t, want, l.next(live), "%d", live)
		require.EqualValues(t, goal, l.next(0), "%d", live)
	}
}

// Stacks leave no room for the heap within the limit, so they must raise it.
func TestStacksCountAsInUse(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	before := inUse()
	var parked, gone sync.WaitGroup
	release := make(chan struct{})
	const n, stack = 1000, 64 << 10
	for range n {
		parked.Add(1)
		gone.Go(func() {
			var frame [stack]byte
			park(&frame, &parked, release)
		})
	}
	parked.Wait()
	runtime.GC()
	used := inUse()
	close(release)
	gone.Wait()
	require.Greater(t, used, before+n*stack)
}

//go:noinline
func park(frame *[64 << 10]byte, parked *sync.WaitGroup, release <-chan struct{}) {
	frame[0] = 1
	parked.Done()
	<-release
	frame[1] = frame[0]
}

// The limit applies until the process ends, unless the administrator has configured the collector.
func TestLimitMemory(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(math.MaxInt64)) // the tests' own limit
	for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
		t.Setenv(name, "50")
		limitMemory(t.Context())
		require.EqualValues(t, math.MaxInt64, debug.SetMemoryLimit(-1), name)
		t.Setenv(name, "")
	}
	ctx, cancel := context.WithCancel(t.Context())
	limitMemory(ctx)
	require.EqualValues(t, goal, debug.SetMemoryLimit(-1))
	debug.SetMemoryLimit(math.MaxInt64)
	defer cancel()
	collected := func() bool { runtime.GC(); return debug.SetMemoryLimit(-1) == goal }
	require.Eventually(t, collected, time.Minute, time.Millisecond)
}
