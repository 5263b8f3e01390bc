package task

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
)

// processReserve is what the Go runtime, stacks, the program's text and the user's own data may take of a task's memory; the
// rest is for buffers.
const processReserve = 64 << 20

const mib = 1 << 20

// MemoryMB reads mapreduce.map.memory.mb or mapreduce.reduce.memory.mb: the memory of the whole process in MiB.
func MemoryMB(c *conf.Config, t job.TaskType) (int64, error) {
	key := "mapreduce.map.memory.mb"
	if t == job.Reduce {
		key = "mapreduce.reduce.memory.mb"
	}
	return c.TaskMemory(key, 128)
}

// BufferBytes gives what a process of mb MiB may use for buffers.
func BufferBytes(mb int64) int64 { return mb*mib - processReserve }

// mergeRun is what the sorter needs beside its buffer for each run of a merge, and once more for what it writes.
const mergeRun = 512 << 10

// sortBuffer gives the size of a map's sort buffer within the budget. A mapreduce.task.io.sort.mb that the user set and that
// does not fit is refused; the default shrinks.
func sortBuffer(c *conf.Config, budget int64, factor int) (int64, error) {
	const key = "mapreduce.task.io.sort.mb"
	mb, err := c.Int(key, 100, 1, 2047)
	if err != nil {
		return 0, err
	}
	budget -= int64(factor+1) * mergeRun
	if budget < mib {
		return 0, c.Refuse("mapreduce.task.io.sort.factor", errors.New("the task's memory does not suffice for that many runs")).
			Fix("lower it, or raise mapreduce.map.memory.mb")
	}
	want := mb * mib
	if want <= budget {
		return want, nil
	}
	if !c.IsDefault(key) {
		return 0, c.Refuse(key, fmt.Errorf("the task's memory leaves %d MiB for it", budget/mib)).
			Fix("lower it, or raise mapreduce.map.memory.mb")
	}
	return budget, nil
}

// HeapReserve is what the garbage collector leaves free of a process's memory: the program's own pages are not counted by it, and
// while it runs the heap still grows.
const HeapReserve = processReserve / 4 * 3

// LimitProcess makes the garbage collector keep the whole process within mb MiB. It works harder near the limit instead of
// letting the heap double. It may be called again when the process has more or less to use.
func LimitProcess(mb int64) {
	debug.SetMemoryLimit(max(mb*mib-HeapReserve, mb*mib/4))
}
