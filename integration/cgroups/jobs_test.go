//go:build integration && linux

package cgroups

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
)

// lines creates an input directory with one small file.
func lines(t *testing.T) string {
	in := filepath.Join(t.TempDir(), "in")
	require.NoError(t, os.Mkdir(in, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(in, "f"), []byte("one\ntwo\n"), 0o644))
	return in
}

// trees lists the TaskTrackers' groups below a test's parent group.
func trees(parent string) []string { return folders(parent + "/tasktracker-*") }

// startCluster starts a cluster with its groups below the test's own parent group. When the test
// ends, it checks that no group is left.
func startCluster(t *testing.T, o minicluster.Options) (*minicluster.Cluster, string) {
	open(t) // skips if this user lacks permission
	parent := fmt.Sprintf("/howdah-test-%d", os.Getpid())
	o.Set = append(o.Set, "howdah.tasktracker.cgroups=required", "howdah.tasktracker.cgroups.hierarchy="+parent)
	t.Cleanup(func() {
		for _, dir := range folders(parent) {
			require.NoError(t, os.Remove(dir), "the group is not empty")
		}
	})
	return minicluster.Start(t, o), parent
}

// counter returns the value of a counter in a client's output.
func counter(t *testing.T, text, name string) int64 {
	m := regexp.MustCompile(regexp.QuoteMeta(name) + `=(\d+)`).FindStringSubmatch(text)
	require.NotNil(t, m, "%s in %s", name, text)
	n, err := strconv.ParseInt(m[1], 10, 64)
	require.NoError(t, err)
	return n
}

func TestJobsInGroups(t *testing.T) {
	c, parent := startCluster(t, minicluster.Options{})
	streaming := func(out, mapper string, set ...string) minicluster.Result {
		args := []string{"streaming", "-D", "mapreduce.map.maxattempts=1", "-D", "mapreduce.job.maps=1"}
		for _, s := range set {
			args = append(args, "-D", s)
		}
		return c.Howdah(append(args, "-input", lines(t), "-output", filepath.Join(t.TempDir(), out), "-mapper", mapper,
			"-reducer", "NONE")...)
	}

	t.Run("what commands use is counted", func(t *testing.T) {
		const mapper = `sh -c 'i=0; while [ $i -lt 1000000 ]; do i=$((i+1)); done; x=$(head -c 60000000 /dev/zero | tr ` +
			`"\0" a); sleep 1; cat; echo $x | wc -c'`
		r := streaming("used", mapper)
		require.Zero(t, r.Code, r.Err)
		require.Greater(t, counter(t, r.Err, "CPU time spent (ms)"), int64(300),
			"the command counts a million, the task does next to nothing")
		require.Greater(t, counter(t, r.Err, "Peak Map Physical memory (bytes)"), int64(60_000_000))
		require.NotEmpty(t, trees(parent))
	})
	t.Run("too much memory", func(t *testing.T) {
		const mapper = `sh -c 'x=$(head -c 600000000 /dev/zero | tr "\0" a); cat'`
		r := streaming("oom", mapper, "mapreduce.map.memory.mb=128")
		require.NotZero(t, r.Code)
		require.Regexp(t, `The kernel ended 1 process\(es\) of the task because they needed more memory than the limit of `+
			`128 MiB \(at most 12[0-9] MiB were in use\)`, r.Err)
		// The task does not notice the kill. The first command of its pipe is gone, and the pipe's
		// output ends early.
		r = streaming("pipe", `sh -c '(x=$(head -c 600000000 /dev/zero | tr "\0" a); cat) | cat'`,
			"mapreduce.map.memory.mb=128")
		require.NotZero(t, r.Code)
		require.Contains(t, r.Err, "needed more memory than the limit of 128 MiB")
	})
	t.Run("tasks of one child", func(t *testing.T) {
		r := c.Howdah("run", "-D", "mapreduce.job.jvm.numtasks=-1", "-D", "mapreduce.job.maps=6", "wordcount", lines(t),
			filepath.Join(t.TempDir(), "shared"))
		require.Zero(t, r.Code, r.Err)
		require.Less(t, counter(t, r.Err, "Peak Map Physical memory (bytes)"), int64(1<<30))
	})
	c.Stop()
	require.Empty(t, trees(parent))
}

// A killed TaskTracker leaves its groups behind. The next TaskTracker removes these groups and
// kills their processes.
func TestAKilledTaskTracker(t *testing.T) {
	c, parent := startCluster(t, minicluster.Options{})
	wait, _ := c.Background("streaming", "-D", "mapreduce.job.maps=1", "-input", lines(t),
		"-output", filepath.Join(t.TempDir(), "out"),
		"-mapper", `sh -c 'sleep 5; cat'`, "-reducer", "NONE")
	busy := func() bool {
		procs, _ := filepath.Glob("/sys/fs/cgroup/memory" + parent + "/tasktracker-*/child-*/cgroup.procs")
		for _, p := range procs {
			if b, _ := os.ReadFile(p); strings.Count(string(b), "\n") > 1 {
				return true
			}
		}
		return false
	}
	minicluster.Eventually(t, time.Minute, "a command in a group", busy)
	before := trees(parent)
	c.Kill("tasktracker-1")
	require.Equal(t, before, trees(parent))
	c.StartAgain("tasktracker-1")
	r := wait()
	require.Zero(t, r.Code, r.Err)
	for _, dir := range before {
		require.NoDirExists(t, dir)
	}
	c.Stop()
	require.Empty(t, trees(parent))
}

// If no TaskTracker replaces a killed one, the minicluster removes the groups of the killed
// TaskTracker.
func TestAMiniclusterLeavesNoGroups(t *testing.T) {
	c, parent := startCluster(t, minicluster.Options{})
	c.Kill("tasktracker-1")
	require.NotEmpty(t, trees(parent))
	c.Stop()
	require.Empty(t, trees(parent))
}

// An attempt loses its limits but continues if its group is deleted.
func TestAGroupIsTakenAway(t *testing.T) {
	c, parent := startCluster(t, minicluster.Options{})
	wait, _ := c.Background("streaming", "-D", "mapreduce.job.maps=1", "-input", lines(t),
		"-output", filepath.Join(t.TempDir(), "out"),
		"-mapper", `sh -c 'sleep 4; cat'`, "-reducer", "NONE")
	begun, taken := false, false
	minicluster.Eventually(t, time.Minute, "a command in a group", func() bool {
		dirs, _ := filepath.Glob("/sys/fs/cgroup/memory" + parent + "/tasktracker-*/child-*")
		for _, dir := range dirs {
			b, _ := os.ReadFile(dir + "/cgroup.procs")
			begun = begun || strings.Count(string(b), "\n") >= 2
			if !begun {
				continue
			}
			for _, pid := range strings.Fields(string(b)) {
				_ = os.WriteFile("/sys/fs/cgroup/memory/cgroup.procs", []byte(pid), 0o644)
			}
			taken = taken || os.Remove(dir) == nil // retries, because the command may fork during a move
		}
		return taken
	})
	r := wait()
	require.Zero(t, r.Code, r.Err)
	c.Stop()
	require.Empty(t, trees(parent))
}
