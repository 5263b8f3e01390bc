package lab

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// A large heap of a simulation mostly holds the tasks of unfinished jobs, which stay.
const (
	largeHeap    = 512 << 20 // bytes in use
	largePercent = 25        // by which a large heap may grow between two garbage collections
)

// saveMemory limits the growth of the heap between two garbage collections to largePercent, instead
// of the usual 100, once more than large bytes are in use. It then takes effect until the process
// ends.
func saveMemory(large uint64) {
	if os.Getenv("GOGC") != "" {
		return // the user has chosen a percentage
	}
	inUse := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	if metrics.Read(inUse); inUse[0].Value.Uint64() > large {
		debug.SetGCPercent(largePercent)
		return
	}
	runtime.AddCleanup(new(*int), saveMemory, large) // at the next collection
}
