// Package slots reads how many slots a TaskTracker has, which may be left to what its node has.
package slots

import (
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/procfs"
)

// The keys.
const (
	KeyMaps    = "mapreduce.tasktracker.map.tasks.maximum"
	KeyReduces = "mapreduce.tasktracker.reduce.tasks.maximum"
)

// Auto as a number of slots stands for as many as the cores, the memory and the disks of this machine suffice for.
const Auto = "auto"

// Max is the most slots of a kind.
const Max = 10000

// Read gives the number of slots under a key: 2 if nothing is said. The disks are those of mapreduce.cluster.local.dir.
func Read(c *conf.Config, key string) (int64, error) {
	if !strings.EqualFold(c.Get(key), Auto) {
		return c.Int(key, 2, 0, Max)
	}
	return of(runtime.NumCPU(), procfs.MemoryTotal(), diskTotal(c.Strings("mapreduce.cluster.local.dir"))), nil
}

// gb is what the paper counts memory and disks in.
const gb = 1 << 30

// of gives the slots of each kind of a node by footnote 1 of MROrchestrator: the minimum of C-1, (M-2)/2 and D/50, with memory M and
// disks D in GB, rounded down and at least 1. What is not known (0 bytes) does not count.
func of(cores int, memory, disk int64) int64 {
	n := int64(cores - 1)
	if memory > 0 {
		n = min(n, (memory/gb-2)/2)
	}
	if disk > 0 {
		n = min(n, disk/gb/50)
	}
	return max(1, min(n, Max))
}

// diskTotal gives the size of the disks on which directories lie, or would lie if they were made, each disk once.
func diskTotal(dirs []string) int64 {
	total := int64(0)
	seen := map[uint64]bool{}
	for _, dir := range dirs {
		for before := ""; dir != before; before, dir = dir, filepath.Dir(dir) {
			var st syscall.Stat_t
			var fs syscall.Statfs_t
			if syscall.Stat(dir, &st) == nil && syscall.Statfs(dir, &fs) == nil {
				if dev := uint64(st.Dev); !seen[dev] {
					seen[dev] = true
					total += int64(fs.Blocks) * int64(fs.Bsize)
				}
				break
			}
		}
	}
	return total
}
