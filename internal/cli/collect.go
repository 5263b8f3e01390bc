package cli

import (
	"os"
	"runtime"
	"runtime/debug"
)

// delayCollection lets the heap grow to 16 MiB, instead of 4 MiB, before the first garbage collection.
// Most commands finish before that, and a collection would take a noticeable part of their time.
// After the first collection, the usual percentage applies.
func delayCollection() {
	if os.Getenv("GOGC") != "" {
		return // the user has chosen a percentage
	}
	usual := debug.SetGCPercent(400)
	runtime.AddCleanup(new(*int), func(percent int) { debug.SetGCPercent(percent) }, usual)
}
