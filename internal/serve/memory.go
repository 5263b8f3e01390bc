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

// softLimit sets the process's memory limit. It holds the numbers of live bytes in the heap after
// the latest collections, newest first.
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

// next returns the limit, in bytes, after a collection that has found the given number of live
// bytes. It uses the smallest of the latest numbers, because a collection also keeps what the
// process allocates in the meantime.
//
// Without a limit, the heap grows to twice its live bytes before the next collection. The limit
// causes at most about four times as many collections as without it. A large heap therefore exceeds
// the goal, because a lower limit would cost too much time.
func (l *softLimit) next(live int64) int64 {
	copy(l[1:], l[:])
	l[0] = live
	return max(goal, 2*slices.Min(l[:])-goal/2)
}
