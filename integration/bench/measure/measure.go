//go:build integration

// Package measure measures the cost of commands, compares pairs of figures, and determines how
// figures grow. Start with Run.
package measure

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// Cost is the resource usage of a command and its child processes.
type Cost struct {
	Wall, CPU time.Duration
	Peak      int64 // resident memory of the largest process, bytes
}

// maxErrorText is the maximum number of bytes of a failed command's messages in an error.
const maxErrorText = 2000

// Run runs a command and returns its cost. It also returns the command's standard output, unless the
// command already has a writer for it. The peak memory is never below that of the caller, because
// Linux includes the memory that the child had before exec.
func Run(cmd *exec.Cmd) (Cost, []byte, error) {
	var out, errOut bytes.Buffer
	cmd.Stderr = &errOut
	if cmd.Stdout == nil {
		cmd.Stdout = &out
	}
	start := time.Now()
	err := cmd.Run()
	c := Cost{Wall: time.Since(start)}
	if err != nil {
		text := bytes.TrimSpace(errOut.Bytes())
		return c, nil, fmt.Errorf("%s: %w: %s", cmd, err, text[max(0, len(text)-maxErrorText):])
	}
	used := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	c.CPU, c.Peak = cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime(), int64(used.Maxrss)<<10
	return c, out.Bytes(), nil
}

// tick is the unit of CPU times in /proc.
const tick = 10 * time.Millisecond

// Columns of /proc/PID/stat, counted from the first column after the process's name. The times are
// those of the process and of the children that it has waited for.
const (
	statParent = 1
	statTimes  = 11
	statEnd    = 15
)

// ChildCPU returns the CPU time of the running descendants of this process, and of those that a
// running descendant has waited for. It needs Linux.
func ChildCPU() (time.Duration, error) {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(files) == 0 {
		return 0, fmt.Errorf("cannot list processes: %w", os.ErrNotExist)
	}
	children, used := map[int][]int{}, map[int]time.Duration{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // the process has ended
		}
		fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
		if len(fields) < statEnd {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		parent, _ := strconv.Atoi(string(fields[statParent]))
		children[parent] = append(children[parent], pid)
		for _, f := range fields[statTimes:statEnd] {
			n, _ := strconv.Atoi(string(f))
			used[pid] += time.Duration(n) * tick
		}
	}
	var sum time.Duration
	for queue := children[os.Getpid()]; len(queue) > 0; queue = queue[1:] {
		sum += used[queue[0]]
		queue = append(queue, children[queue[0]]...)
	}
	return sum, nil
}
