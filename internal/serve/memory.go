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

// limitMemory makes the garbage collector try to keep the process within its goal until ctx ends. If
// the process becomes large, it also gives the collector a thread. It does nothing if the
// administrator has configured the collector.
func limitMemory(ctx context.Context) {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		new(softLimit).adjust(ctx)
	}
}

// softLimit sets the process's memory limit. It holds the memory that was in use after the latest
// collections, newest first, in bytes.
type softLimit [4]int64

// adjust sets the limit and the number of threads, now and after every collection.
func (l *softLimit) adjust(ctx context.Context) {
	if ctx.Err() != nil {
		return
	}
	used := inUse()
	useThreads(used)
	debug.SetMemoryLimit(l.next(used))
	runtime.AddCleanup(new(*int), func(ctx context.Context) { l.adjust(ctx) }, ctx)
}

// inUse returns the number of bytes of the live heap and of everything else that counts toward the
// limit, such as the stacks, which need as much memory as the heap if there are thousands of
// connections.
func inUse() int64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"}, {Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	n := func(i int) int64 { return int64(s[i].Value.Uint64()) }
	return n(0) + n(1) - n(2) - n(3) - n(4)
}

// next returns the limit, in bytes, after a collection that has found the given number of bytes in
// use. It uses the smallest of the latest numbers, because a collection also keeps what the process
// allocates in the meantime.
//
// Without a limit, the heap grows to twice its live bytes before the next collection. The limit
// causes at most about four times as many collections as without it. A large process therefore
// exceeds the goal, because a lower limit would cost too much time. The room that the limit leaves
// grows up to 144 MiB, and further only if that is less than about a quarter of the bytes in use.
func (l *softLimit) next(used int64) int64 {
	copy(l[1:], l[:])
	l[0] = used
	used = slices.Min(l[:])
	room := min(used-goal/2, max(goal*3/4, used/4+goal/16))
	return max(goal, used+room)
}
