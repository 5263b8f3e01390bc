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
	"github.com/howdah/howdah/job"
)

// A TaskTracker with a finished reduce dies. The job succeeds, and the reduce does not run again.
func TestFinishedReducesAreKept(t *testing.T) {
	bin := trouble(t)
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2,
		Set: append([]string{"mapreduce.tasktracker.reduce.tasks.maximum=1"}, hasty...)})
	// Each TaskTracker has one reduce slot, so the waiting reduce and the finished reduce are on
	// different TaskTrackers.
	j := begin(t, c, bin, "trouble.reduce=wait", "trouble.at=setup", "mapreduce.job.reduce.slowstart.completedmaps=1")
	j.until("one reduce to end", func() bool { return j.count("REDUCE", "SUCCEEDED") == 1 })
	s := &striker{t: t, c: c, x: j.x, struck: map[job.AttemptID]strike{}}
	done := attempts(t, j.x, "reduce", "SUCCEEDED")[0]
	for _, part := range []string{"tasktracker-1", "tasktracker-2"} {
		if strings.HasSuffix(done.Tracker, s.port(part)) {
			s.fell(part)
		}
	}
	j.open()
	j.succeeds()
	require.Equal(t, 2, j.count("REDUCE", ""), "no reduce ran again")
	require.Empty(t, attempts(t, j.x, "", "FAILED"))
	nothingLeft(t, c, j.out)
}

// A TaskTracker that was suspended past its expiry starts over. The JobTracker rejects its
// attempts, and its child processes are killed.
func TestFrozenTaskTrackerIsToldToBeginAnew(t *testing.T) {
	bin := trouble(t)
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2, Set: hasty})
	j := begin(t, c, bin, "trouble.map=wait", "trouble.at=record", "trouble.attempts=1")
	waiting := j.lastMap()
	s := &striker{t: t, c: c, x: j.x, struck: map[job.AttemptID]strike{}}
	zombie := child(c, waiting.ID)
	frozen := "tasktracker-1"
	if !strings.HasSuffix(waiting.Tracker, s.port(frozen)) {
		frozen = "tasktracker-2"
	}
	c.Signal(frozen, syscall.SIGSTOP)
	j.succeeds() // runs the second attempt, which does not wait
	require.Equal(t, zombie, child(c, waiting.ID), "the first one still waits")
	j.open() // the first attempt could finish now
	c.Signal(frozen, syscall.SIGCONT)
	minicluster.Eventually(t, time.Minute, "the zombie to be gone", func() bool { return child(c, waiting.ID) == 0 })
	require.Zero(t, j.count("", "FAILED"))
	nothingLeft(t, c, j.out)
	minicluster.Eventually(t, time.Minute, "both TaskTrackers to be there", func() bool {
		return strings.Count(c.Howdah("job", "-list-active-trackers").Out, "tracker_") == 2
	})
	in, want := text(t, 2, 10)
	out := filepath.Join(t.TempDir(), "out")
	ok(t, c.Howdah("run", "-q", "wordcount", in, out))
	require.Equal(t, want, counts(t, out))
}

// If a TaskTracker is killed at about the time when a child exits, the task still has exactly one
// output.
func TestTaskTrackerDiesAroundTheEndOfATask(t *testing.T) {
	bin := trouble(t)
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2, Set: hasty})
	for i := range 4 {
		j := begin(t, c, bin, "trouble.reduce=wait", "trouble.at=cleanup", "mapreduce.job.name="+t.Name(),
			"trouble.attempts=1")
		j.until("one reduce to end", func() bool {
			return len(attempts(t, j.x, "reduce", "RUNNING")) == 1 && j.count("REDUCE", "SUCCEEDED") == 2*i+1
		})
		waiting := attempts(t, j.x, "reduce", "RUNNING")
		s := &striker{t: t, c: c, x: j.x, struck: map[job.AttemptID]strike{}}
		part := "tasktracker-1"
		if !strings.HasSuffix(waiting[0].Tracker, s.port(part)) {
			part = "tasktracker-2"
		}
		j.open()
		time.Sleep(time.Duration(i) * 5 * time.Millisecond)
		s.fell(part)
		j.succeeds()
		nothingLeft(t, c, j.out)
	}
}
