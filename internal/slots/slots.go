// Package slots reads the number of a TaskTracker's slots. The configuration can derive that number
// from the node's resources.
package slots

import (
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/procfs"
)

// Auto is the configuration value that derives the number of slots from the cores, memory, and
// disks of this machine.
const Auto = "auto"

// Max is the maximum number of slots of one kind.
const Max = 10000

// Read returns the number of slots that key configures. If the value is Auto, the number also
// depends on the disks that contain the directories in mapreduce.cluster.local.dir.
func Read(c *conf.Config, key *conf.Int) (int64, error) {
	if !strings.EqualFold(c.Get(key.Name), Auto) {
		return key.Get(c)
	}
	return of(runtime.NumCPU(), procfs.MemoryTotal(), diskTotal(conf.ClusterLocalDir.Get(c))), nil
}

// gb is the number of bytes in a GB, the unit of memory and disk space in the MROrchestrator paper.
const gb = 1 << 30

// of returns the number of slots of each kind according to footnote 1 of the MROrchestrator paper.
// It is the minimum of C-1, (M-2)/2, and D/50, rounded down, but at least 1 and at most Max. C is
// the number of cores. M and D are the memory and the disk space in GB. A value of 0 bytes means
// unknown and is ignored.
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

// diskTotal returns the total size of the disks of the given directories in bytes. It counts each
// disk only once. The directories need not exist yet.
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
