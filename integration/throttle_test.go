//go:build integration

package integration

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
)

// cpuGroups is where cgroup v1 limits CPU time.
const cpuGroups = "/sys/fs/cgroup/cpu"

// period is in what time a quota of the CPU is given, in microseconds.
const period = 100_000

// throttle gives a part of a cluster, and all that it starts from now on, some thousandths of a core, until the cluster has
// stopped. It reports false if this user may not set quotas.
func throttle(t *testing.T, c *minicluster.Cluster, part string, thousandths int) bool {
	t.Helper()
	dir := filepath.Join(cpuGroups, fmt.Sprintf("howdah-test-%d-%s", c.PID(part), part))
	if err := os.Mkdir(dir, 0o755); err != nil {
		return false
	}
	t.Cleanup(func() {
		minicluster.Eventually(t, 30*time.Second, "the control group of "+part+" to be empty", func() bool { return os.Remove(dir) == nil })
	})
	for _, f := range [][2]string{{"cpu.cfs_period_us", strconv.Itoa(period)}, {"cpu.cfs_quota_us", strconv.Itoa(period / 1000 * thousandths)}, {"cgroup.procs", strconv.Itoa(c.PID(part))}} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, f[0]), []byte(f[1]), 0o644))
	}
	return true
}

// stutter gives a part, and all that it starts, the same by stopping it for most of the time: the way for those who may not
// set quotas. The pauses follow how long it really ran. stop ends it.
func stutter(t *testing.T, c *minicluster.Cluster, part string, thousandths int) (stop func()) {
	t.Helper()
	root := c.PID(part)
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for start := time.Now(); ; start = time.Now() {
			time.Sleep(50 * time.Millisecond)
			family := descendants(root)
			signal(family, syscall.SIGSTOP)
			ran := time.Since(start)
			time.Sleep(ran * time.Duration(1000-thousandths) / time.Duration(thousandths))
			signal(family, syscall.SIGCONT)
			select {
			case <-quit:
				return
			default:
			}
		}
	}()
	return sync.OnceFunc(func() {
		close(quit)
		<-done
	})
}

func signal(pids []int, s syscall.Signal) {
	for _, pid := range pids {
		_ = syscall.Kill(pid, s) // it may be gone
	}
}

// descendants lists a process and all that it has started.
func descendants(root int) []int {
	children := map[int][]int{}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		b, err := os.ReadFile(dir + "/stat")
		_, rest, _ := bytes.Cut(b, []byte(") "))
		if f := strings.Fields(string(rest)); err == nil && len(f) > 1 {
			pid, _ := strconv.Atoi(filepath.Base(dir))
			parent, _ := strconv.Atoi(f[1])
			children[parent] = append(children[parent], pid)
		}
	}
	list := []int{root}
	for i := 0; i < len(list); i++ {
		list = append(list, children[list[i]]...)
	}
	return list
}
