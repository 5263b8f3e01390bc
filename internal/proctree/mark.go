package proctree

import (
	"syscall"
	"time"
)

// KillMarked ends every process that has the mark, KEY=value, in its environment, those that it started meanwhile included, and
// returns when they have gone. It finds processes whose parent is no more. This process is left alone. Only Linux tells.
func KillMarked(mark string) { killMarked(mark, 0) }

// killMarked kills until a look finds nothing more.
func killMarked(mark string, except int) {
	for round := 0; round < 100; round++ {
		pids := marked(mark, except)
		if len(pids) == 0 {
			return
		}
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		time.Sleep(time.Duration(min(1+round/2, 50)) * time.Millisecond) // a killed process keeps its environment for a moment
	}
}

// Marked lists the processes that have the mark, KEY=value, in their environment, without this one. Only Linux tells.
func Marked(mark string) []int { return marked(mark, 0) }

// Carries reports whether a process runs and has the mark, KEY=value, in its environment: a process id may have been given to another one
// meanwhile. Where the system does not tell, it reports whether there is such a process.
func Carries(pid int, mark string) bool { return carries(pid, mark) }
