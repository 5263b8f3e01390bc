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

// lines makes an input of one small file.
func lines(t *testing.T) string {
	in := filepath.Join(t.TempDir(), "in")
	require.NoError(t, os.Mkdir(in, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(in, "f"), []byte("one\ntwo\n"), 0o644))
	return in
}

// trees lists the TaskTrackers' groups below the parent of a test.
func trees(parent string) []string { return folders(parent + "/tasktracker-*") }

// start starts a cluster whose groups lie below a parent of the test's own, and sees to it that none is left.
func startCluster(t *testing.T, o minicluster.Options) (*minicluster.Cluster, string) {
	open(t) // skips where this user may not
	parent := fmt.Sprintf("/howdah-test-%d", os.Getpid())
	o.Set = append(o.Set, "howdah.tasktracker.cgroups=required", "howdah.tasktracker.cgroups.hierarchy="+parent)
	t.Cleanup(func() {
		for _, dir := range folders(parent) {
			require.NoError(t, os.Remove(dir), "something is left in it")
		}
	})
	return minicluster.Start(t, o), parent
}

// counter reads one of the counters that a client prints.
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
		return c.Howdah(append(args, "-input", lines(t), "-output", filepath.Join(t.TempDir(), out), "-mapper", mapper, "-reducer", "NONE")...)
	}

	t.Run("what commands use is counted", func(t *testing.T) {
		const mapper = `sh -c 'i=0; while [ $i -lt 1000000 ]; do i=$((i+1)); done; x=$(head -c 60000000 /dev/zero | tr "\0" a); sleep 1; cat; echo $x | wc -c'`
		r := streaming("used", mapper)
		require.Zero(t, r.Code, r.Err)
		require.Greater(t, counter(t, r.Err, "CPU time spent (ms)"), int64(300), "the command counts a million, the task does next to nothing")
		require.Greater(t, counter(t, r.Err, "Peak Map Physical memory (bytes)"), int64(60_000_000))
		require.NotEmpty(t, trees(parent))
	})
	t.Run("too much memory", func(t *testing.T) {
		const mapper = `sh -c 'x=$(head -c 600000000 /dev/zero | tr "\0" a); cat'`
		r := streaming("oom", mapper, "mapreduce.map.memory.mb=128")
		require.NotZero(t, r.Code)
		require.Regexp(t, `The kernel ended 1 process\(es\) of the task because they needed more memory than the limit of 128 MiB \(at most 12[0-9] MiB were in use\)`, r.Err)
		// The task itself sees nothing wrong here: the first of a pipe of commands is missing, and its output ends early.
		r = streaming("pipe", `sh -c '(x=$(head -c 600000000 /dev/zero | tr "\0" a); cat) | cat'`, "mapreduce.map.memory.mb=128")
		require.NotZero(t, r.Code)
		require.Contains(t, r.Err, "needed more memory than the limit of 128 MiB")
	})
	t.Run("tasks of one child", func(t *testing.T) {
		r := c.Howdah("run", "-D", "mapreduce.job.jvm.numtasks=-1", "-D", "mapreduce.job.maps=6", "wordcount", lines(t), filepath.Join(t.TempDir(), "shared"))
		require.Zero(t, r.Code, r.Err)
		require.Less(t, counter(t, r.Err, "Peak Map Physical memory (bytes)"), int64(1<<30))
	})
	c.Stop()
	require.Empty(t, trees(parent))
}

// A TaskTracker that was killed leaves its groups; the next one removes them, and what still ran in them.
func TestAKilledTaskTracker(t *testing.T) {
	c, parent := startCluster(t, minicluster.Options{})
	wait, _ := c.Background("streaming", "-D", "mapreduce.job.maps=1", "-input", lines(t), "-output", filepath.Join(t.TempDir(), "out"),
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

// Where no other TaskTracker comes after one that was killed the minicluster removes what it left.
func TestAMiniclusterLeavesNoGroups(t *testing.T) {
	c, parent := startCluster(t, minicluster.Options{})
	c.Kill("tasktracker-1")
	require.NotEmpty(t, trees(parent))
	c.Stop()
	require.Empty(t, trees(parent))
}

// A group that somebody takes away costs an attempt its limits, not its life.
func TestAGroupIsTakenAway(t *testing.T) {
	c, parent := startCluster(t, minicluster.Options{})
	wait, _ := c.Background("streaming", "-D", "mapreduce.job.maps=1", "-input", lines(t), "-output", filepath.Join(t.TempDir(), "out"),
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
			taken = taken || os.Remove(dir) == nil // not at once if the command forks while its processes are moved
		}
		return taken
	})
	r := wait()
	require.Zero(t, r.Code, r.Err)
	c.Stop()
	require.Empty(t, trees(parent))
}
