package task

import (
	"runtime"
	"runtime/debug"
	"time"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
)

// Usage is what a process used.
type Usage struct {
	CPU      time.Duration // user and system
	GC       time.Duration // pauses of the garbage collector
	Physical int64         // bytes of memory that are resident now
	Virtual  int64         // bytes of address space
	Heap     int64         // bytes that the runtime holds for the heap
}

// Since gives the growth of the times since an earlier reading; memory is as it is now.
func (u Usage) Since(before Usage) Usage {
	u.CPU -= before.CPU
	u.GC -= before.GC
	return u
}

// store puts the values where counters are read.
func (u Usage) store(c *mapreduce.Context) {
	c.SetBuiltin(job.CPUMillis, u.CPU.Milliseconds())
	c.SetBuiltin(job.GCTimeMillis, u.GC.Milliseconds())
	c.SetBuiltin(job.PhysicalMemoryBytes, u.Physical)
	c.SetBuiltin(job.VirtualMemoryBytes, u.Virtual)
	c.SetBuiltin(job.CommittedHeapBytes, u.Heap)
}

// ProcessUsage reads what this process has used so far.
func ProcessUsage() Usage {
	var gc debug.GCStats
	debug.ReadGCStats(&gc)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	u := Usage{CPU: processCPU(), GC: gc.PauseTotal, Heap: int64(m.HeapSys - m.HeapReleased)}
	u.Virtual, u.Physical = processMemory()
	return u
}
