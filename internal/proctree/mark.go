package proctree

import (
	"syscall"
	"time"
)

// KillMarked kills every process whose environment contains mark, which has the form KEY=value. It
// spares this process. It repeats the search, so it also kills processes that start in the
// meantime. It returns when it finds no more such processes, or after a few seconds. It works only
// on Linux.
func KillMarked(mark string) { killMarked(mark, 0) }

// killMarked is like KillMarked, but also spares the process whose ID is except. It searches at
// most 100 times.
func killMarked(mark string, except int) {
	for round := 0; round < 100; round++ {
		pids := marked(mark, except)
		if len(pids) == 0 {
			return
		}
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		// A killed process keeps its environment for a moment.
		time.Sleep(time.Duration(min(1+round/2, 50)) * time.Millisecond)
	}
}

// Marked returns the IDs of the processes whose environment contains mark, which has the form
// KEY=value. It omits this process. On systems other than Linux it returns nil.
func Marked(mark string) []int { return marked(mark, 0) }

// Carries reports whether the process pid is running and its environment contains mark, which has
// the form KEY=value. The mark distinguishes the process from a later one with the same ID. On
// systems other than Linux, Carries ignores the mark and reports whether the process exists.
func Carries(pid int, mark string) bool { return carries(pid, mark) }
