//go:build integration

package integration

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
)

// fastExpiry expires a silent TaskTracker after one second instead of ten minutes.
var fastExpiry = []string{"mapreduce.jobtracker.expire.trackers.interval=1000"}

// lists returns a function that reports whether the first job has at least n attempts of a type and
// state.
func lists(c *minicluster.Cluster, typ, state string, n int) func() bool {
	return func() bool {
		id := jobID(c)
		return id != "" && strings.Count(c.Howdah("job", "-list-attempt-ids", id, typ, state).Out, "attempt_") >= n
	}
}

// jobID returns the ID of the first job, or "" if no job exists yet.
func jobID(c *minicluster.Cluster) string {
	for _, f := range strings.Fields(c.Howdah("job", "-list", "all").Out) {
		if strings.HasPrefix(f, "job_") {
			return f
		}
	}
	return ""
}

// If a TaskTracker dies in the map phase or in the reduce phase, the output is still correct.
func TestTaskTrackerDies(t *testing.T) {
	bin := slowcount(t)
	for name, when := range map[string]func(*minicluster.Cluster) func() bool{
		"in the map phase":    func(c *minicluster.Cluster) func() bool { return lists(c, "map", "completed", 1) },
		"in the reduce phase": func(c *minicluster.Cluster) func() bool { return lists(c, "map", "completed", 4) },
	} {
		t.Run(name, func(t *testing.T) {
			in, want := text(t, 4, 30)
			c := minicluster.Start(t, minicluster.Options{TaskTrackers: 3, Set: fastExpiry})
			out := filepath.Join(t.TempDir(), "out")
			wait, _ := c.BackgroundCommand(bin, "-D", "mapreduce.job.reduces=2", "-D", "slowcount.map.millis=20",
				"-D", "slowcount.reduce.millis=5", in, out)
			minicluster.Eventually(t, 60*time.Second, "the moment", when(c))
			c.Kill("tasktracker-1")
			ok(t, wait())
			require.Equal(t, want, counts(t, out))
		})
	}
}

// If a TaskTracker is suspended past its expiry, the output is still correct. The TaskTracker joins
// again after it resumes.
func TestFrozenTaskTracker(t *testing.T) {
	in, want := text(t, 4, 40)
	bin := slowcount(t)
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2, Set: fastExpiry})
	out := filepath.Join(t.TempDir(), "out")
	wait, _ := c.BackgroundCommand(bin, "-D", "slowcount.map.millis=20", in, out)
	minicluster.Eventually(t, 60*time.Second, "maps to run", lists(c, "map", "running", 2))
	c.Signal("tasktracker-1", syscall.SIGSTOP)
	time.Sleep(2 * time.Second)
	c.Signal("tasktracker-1", syscall.SIGCONT)
	ok(t, wait())
	require.Equal(t, want, counts(t, out))
	minicluster.Eventually(t, time.Minute, "both TaskTrackers to be there", func() bool {
		return strings.Count(c.Howdah("job", "-list-active-trackers").Out, "tracker_") == 2
	})
}

// The JobTracker dies in the map phase or in the reduce phase and restarts. The job continues, and
// no finished map runs again.
func TestJobTrackerDies(t *testing.T) {
	bin := slowcount(t)
	for name, when := range map[string]func(*minicluster.Cluster) func() bool{
		"in the map phase":    func(c *minicluster.Cluster) func() bool { return lists(c, "map", "completed", 1) },
		"in the reduce phase": func(c *minicluster.Cluster) func() bool { return lists(c, "reduce", "running", 1) },
	} {
		t.Run(name, func(t *testing.T) {
			in, want := text(t, 4, 40)
			c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2})
			out := filepath.Join(t.TempDir(), "out")
			wait, _ := c.BackgroundCommand(bin, "-D", "slowcount.map.millis=20", "-D", "slowcount.reduce.millis=10",
				"-D", "mapreduce.job.reduce.slowstart.completedmaps=1", in, out)
			minicluster.Eventually(t, 60*time.Second, "the moment", when(c))
			id := jobID(c)
			done := strings.Fields(c.Howdah("job", "-list-attempt-ids", id, "map", "completed").Out)
			c.Kill("jobtracker")
			time.Sleep(500 * time.Millisecond)
			c.StartAgain("jobtracker")
			ok(t, wait())
			require.Equal(t, want, counts(t, out))
			after := ok(t, c.Howdah("job", "-list-attempt-ids", id, "map", "completed")).Out
			for _, a := range done {
				require.Contains(t, after, a)
			}
			require.Equal(t, 4, strings.Count(after, "attempt_"), "no map ran twice: %s", after)
			require.Contains(t, ok(t, c.Howdah("job", "-status", id)).Out, "Job state: SUCCEEDED")
		})
	}
}
