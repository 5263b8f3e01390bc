package serve

import (
	"os"
	"runtime"
)

// minThreads is the minimum number of threads on which a large JobTracker runs Go code at the same
// time. With fewer, Go's garbage collector has no thread of its own. On a machine with two processors
// and 10,000 TaskTrackers, it then does not finish in time, and makes the goroutines that allocate
// memory, such as those of heartbeats, collect for up to 0.4 s. A small JobTracker, whose collections
// are short, would only need a tenth more CPU time.
const minThreads = 4

// useThreads lets a process that uses more memory than its goal use minThreads threads on a machine
// with fewer processors. used is in bytes. useThreads does nothing if the administrator or a CPU
// limit of the process has set the number.
func useThreads(used int64) {
	if used <= goal {
		return
	}
	if n := threads(os.Getenv("GOMAXPROCS"), runtime.GOMAXPROCS(0), runtime.NumCPU()); n > 0 {
		runtime.GOMAXPROCS(n)
	}
}

// threads returns the number of threads to use, or 0 to leave it as it is. configured is the
// administrator's setting, and chosen is Go's choice, which is less than the number of processors if
// the process has a CPU limit. More threads would only use up such a limit earlier in each period.
func threads(configured string, chosen, processors int) int {
	if configured != "" || chosen != processors || chosen >= minThreads {
		return 0
	}
	return minThreads
}
