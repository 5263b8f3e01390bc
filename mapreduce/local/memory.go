package local

import (
	"math"
	"runtime/debug"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/task"
)

// limitMemory makes the garbage collector try to keep the process within the memory that the job's
// concurrent tasks may use. It does nothing if a limit is already set, by GOMEMLIMIT or for another
// job. The caller must call end after the job.
func (r *run) limitMemory() (end func(), err error) {
	most := int64(0)
	for _, t := range []job.TaskType{job.Map, job.Reduce} {
		mb, err := task.MemoryMB(r.conf, t)
		if err != nil {
			return nil, err
		}
		most = max(most, mb*int64(r.limits[t]))
	}
	if debug.SetMemoryLimit(-1) != math.MaxInt64 {
		return func() {}, nil
	}
	task.LimitProcess(most)
	return func() { debug.SetMemoryLimit(math.MaxInt64) }, nil
}
