package serve

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
)

// goal is the memory within which the garbage collector tries to keep a JobTracker, in bytes.
const goal = 192 << 20

// limitMemory makes the garbage collector try to keep the process within its goal until ctx ends. It
// does nothing if the administrator has configured the collector.
func limitMemory(ctx context.Context) {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		new(softLimit).adjust(ctx)
	}
}

// softLimit is the process's memory limit. It contains the live bytes of the heap after each of the
// latest collections.
type softLimit [4]int64

// adjust sets the limit, now and after every collection.
func (l *softLimit) adjust(ctx context.Context) {
	if ctx.Err() != nil {
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetMemoryLimit(l.next(int64(live[0].Value.Uint64())))
	runtime.AddCleanup(new(*int), func(ctx context.Context) { l.adjust(ctx) }, ctx)
}

// next returns the limit after a collection that has found the given number of live bytes. It ignores
// what only one of the latest collections has found, because a collection also keeps what the process
// allocates in the meantime.
//
// Without a limit, the heap grows to twice its live bytes before the next collection. A limit within
// the goal causes at most about four times as many collections. A larger heap exceeds the goal,
// because collections would take too much time.
func (l *softLimit) next(live int64) int64 {
	copy(l[1:], l[:])
	l[0] = live
	return max(goal, 2*slices.Min(l[:])-goal/2)
}
