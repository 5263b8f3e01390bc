package proctree

import (
	"syscall"
	"time"
)

// KillMarked kills every process with the mark KEY=value in its environment, except this process.
// It repeats the search, so it also kills processes that start in the meantime. It returns when it
// finds no more, or after a few seconds. It works only on Linux.
func KillMarked(mark string) { killMarked(mark, 0) }

// killMarked kills all processes with the mark, until it finds no more or has searched 100 times.
// It spares this process and the process whose ID is except.
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

// Marked returns the IDs of the processes with the mark KEY=value in their environment, except this
// process. On systems other than Linux it returns nil.
func Marked(mark string) []int { return marked(mark, 0) }

// Carries reports whether a process is running and has the mark KEY=value in its environment. The
// mark matters because the kernel might have reused the process ID. On systems other than Linux,
// Carries ignores the mark and reports whether the process exists.
func Carries(pid int, mark string) bool { return carries(pid, mark) }
