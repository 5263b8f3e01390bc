package task

import (
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
)

// Usage is the resource usage of a process.
type Usage struct {
	CPU      time.Duration // user and system time
	GC       time.Duration // pause time of the garbage collector
	Physical int64         // resident memory in bytes
	Virtual  int64         // address space in bytes
	Heap     int64         // Go runtime's heap in bytes
}

// Since returns the CPU and GC times used since before, an earlier reading, and the current memory.
func (u Usage) Since(before Usage) Usage {
	u.CPU -= before.CPU
	u.GC -= before.GC
	return u
}

// store sets the task's counters to the values in u.
func (u Usage) store(c *mapreduce.Context) {
	c.SetBuiltin(job.CPUMillis, u.CPU.Milliseconds())
	c.SetBuiltin(job.GCTimeMillis, u.GC.Milliseconds())
	c.SetBuiltin(job.PhysicalMemoryBytes, u.Physical)
	c.SetBuiltin(job.VirtualMemoryBytes, u.Virtual)
	c.SetBuiltin(job.CommittedHeapBytes, u.Heap)
}

// ProcessUsage returns the usage of this process so far.
func ProcessUsage() Usage {
	var gc debug.GCStats
	debug.ReadGCStats(&gc)
	u := Usage{CPU: processCPU(), GC: gc.PauseTotal, Heap: heapBytes()}
	u.Virtual, u.Physical = processMemory()
	return u
}

// heapBytes returns HeapSys-HeapReleased of [runtime.MemStats]. Unlike [runtime.ReadMemStats], it
// does not stop the program.
func heapBytes() (n int64) {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(s)
	for _, m := range s {
		n += int64(m.Value.Uint64())
	}
	return n
}
