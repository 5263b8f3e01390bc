//go:build !linux

package task

import (
	"runtime"
)

// processMemory returns the sizes that the Go runtime reports, because it is more expensive to ask
// the operating system.
func processMemory() (virtual, physical int64) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys), int64(m.Sys - m.HeapReleased)
}
