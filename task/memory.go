package task

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
)

// processReserve is the part of a task's memory, in bytes, that is for the Go runtime, stacks, the
// program's text, and the user's data. The remainder is for buffers.
const processReserve = 64 << 20

const mib = 1 << 20

// MemoryMB returns mapreduce.map.memory.mb or mapreduce.reduce.memory.mb, the memory limit of the
// whole process in MiB.
func MemoryMB(c *conf.Config, t job.TaskType) (int64, error) {
	key := &conf.MapMemoryMB
	if t == job.Reduce {
		key = &conf.ReduceMemoryMB
	}
	return key.Get(c)
}

// BufferBytes returns the number of bytes that a process of mb MiB may use for buffers.
func BufferBytes(mb int64) int64 { return mb*mib - processReserve }

// mergeRun is the sorter's memory for each run of a merge and for the output, in addition to its
// buffer.
const mergeRun = 512 << 10

// sortBuffer returns the size of a map's sort buffer within the budget. If necessary, it reduces
// the default size. If a mapreduce.task.io.sort.mb set by the user exceeds the budget, it returns
// an error.
func sortBuffer(c *conf.Config, budget int64, factor int) (int64, error) {
	mb, err := conf.TaskIOSortMB.Get(c)
	if err != nil {
		return 0, err
	}
	budget -= int64(factor+1) * mergeRun
	if budget < mib {
		return 0, c.Refuse(conf.TaskIOSortFactor.Name,
			errors.New("the task's memory does not suffice for that many runs")).
			Fix("lower it, or raise mapreduce.map.memory.mb")
	}
	want := mb * mib
	if want <= budget {
		return want, nil
	}
	if !c.IsDefault(conf.TaskIOSortMB.Name) {
		return 0, c.Refuse(conf.TaskIOSortMB.Name, fmt.Errorf("the task's memory leaves %d MiB for it", budget/mib)).
			Fix("lower it, or raise mapreduce.map.memory.mb")
	}
	return budget, nil
}

// HeapReserve is the part of a process's memory, in bytes, that the garbage collector leaves free.
// The collector does not count the program's own pages, and the heap grows while the collector
// runs.
const HeapReserve = processReserve / 4 * 3

// LimitProcess makes the garbage collector try to keep the whole process within mb MiB. Near the
// limit, the collector runs more often instead of letting the heap double. Callers may call
// LimitProcess again when the limit changes.
func LimitProcess(mb int64) {
	debug.SetMemoryLimit(max(mb*mib-HeapReserve, mb*mib/4))
}
