package task

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
)

// processReserve is the part of a task's memory, in bytes, that is reserved for the Go runtime,
// stacks, the program's code, and the user's data. The remainder is for buffers.
const processReserve = 64 << 20

const mib = 1 << 20

// MemoryMB returns the memory limit, in MiB, of the whole process of a task of type t
// (mapreduce.map.memory.mb or mapreduce.reduce.memory.mb).
func MemoryMB(c *conf.Config, t job.TaskType) (int64, error) {
	key := &conf.MapMemoryMB
	if t == job.Reduce {
		key = &conf.ReduceMemoryMB
	}
	return key.Get(c)
}

// BufferBytes returns the number of bytes that a process may use for buffers if its memory limit is
// mb MiB.
func BufferBytes(mb int64) int64 { return mb*mib - processReserve }

// mergeRun is the memory, in bytes, that the sorter needs for each run of a merge and for the
// output, in addition to the sort buffer.
const mergeRun = 512 << 10

// sortBuffer returns the size, in bytes, of a map's sort buffer. A merge of factor runs needs part
// of the budget. If the user has not set mapreduce.task.io.sort.mb, sortBuffer returns a quarter of
// the budget or, if that is less, the default size or what the merge leaves of the budget. The
// output of a split of HDFS's block size then usually needs no spill, so each byte is written once.
// If the user has set more than the rest, or if the rest is less than 1 MiB, it returns an error.
func sortBuffer(c *conf.Config, budget int64, factor int) (int64, error) {
	mb, err := conf.TaskIOSortMB.Get(c)
	if err != nil {
		return 0, err
	}
	rest := budget - int64(factor+1)*mergeRun
	if rest < mib {
		return 0, c.Refuse(conf.TaskIOSortFactor.Name,
			errors.New("the task's memory does not suffice for that many runs")).
			Fix("lower it, or raise mapreduce.map.memory.mb")
	}
	want := mb * mib
	if c.IsDefault(conf.TaskIOSortMB.Name) {
		return min(max(want, min(budget/4, maxDefaultBuffer)), rest), nil
	}
	if want > rest {
		return 0, c.Refuse(conf.TaskIOSortMB.Name, fmt.Errorf("the task's memory leaves %d MiB for it", rest/mib)).
			Fix("lower it, or raise mapreduce.map.memory.mb")
	}
	return want, nil
}

// maxDefaultBuffer is the maximum size, in bytes, of a sort buffer whose size the user has not set.
const maxDefaultBuffer = 512 * mib

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
