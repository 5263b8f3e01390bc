//go:build integration

package integration

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
)

// The disk of the journal becomes full while jobs run and are submitted. The errors of commands
// state the problem and a remedy. When the disk has free space again, all admitted jobs succeed.
func TestFullJournalDisk(t *testing.T) {
	var small string
	c := minicluster.Start(t, minicluster.Options{Prepare: func(dir string) {
		small = filepath.Join(dir, "jobtracker")
		require.NoError(t, os.MkdirAll(small, 0o700))
		if err := mountSmall(small, 2<<20); err != nil {
			t.Skipf("cannot mount a small file system (not root?): %v", err)
		}
		t.Cleanup(func() { _ = unmount(small) })
	}})
	sleep := func(maps, ms string) (wait func() minicluster.Result) {
		wait, _ = c.Background("run", "-q", "sleep", "-m", maps, "-r", "1", "-mt", ms, "-rt", "1")
		return wait
	}
	first, second := sleep("4", "3000"), sleep("4", "3000")
	minicluster.Eventually(t, time.Minute, "both jobs", func() bool {
		return strings.Count(c.Howdah("job", "-list").Out, "job_") == 2
	})

	filler := filepath.Join(small, "filler")
	f, err := os.Create(filler)
	require.NoError(t, err)
	for block := make([]byte, 4096); err == nil; {
		_, err = f.Write(block)
	}
	require.NoError(t, f.Close())
	minicluster.Eventually(t, time.Minute, "the JobTracker to stall", func() bool {
		r := c.Howdah("job", "-list")
		return r.Code == 5 && strings.Contains(r.Err, "no space left on device") &&
			strings.Contains(r.Err, "free space on this disk") && strings.Contains(r.Err, "continues as soon as")
	})
	r := c.Howdah("run", "-q", "sleep", "-m", "1", "-r", "0", "-mt", "1")
	require.Equal(t, 5, r.Code, "%v", r)
	require.Contains(t, r.Err, "no space left on device")
	require.Contains(t, c.Howdah("doctor").Out, "no space left on device")
	time.Sleep(2 * time.Second)
	require.NotContains(t, c.Log("jobtracker"), "TaskTracker lost")

	require.NoError(t, os.Remove(filler))
	ok(t, first())
	ok(t, second())
	log := c.Log("jobtracker")
	require.Contains(t, log, "cannot write the journal")
	require.Contains(t, log, "the disk accepts the journal again")
	ok(t, c.Howdah("run", "-q", "sleep", "-m", "1", "-r", "0", "-mt", "1"))
	const succeeded = "\t2\t"
	list := c.Howdah("job", "-list", "all").Out
	require.Equal(t, 3, strings.Count(list, succeeded), "%s", list)

	c.Kill("jobtracker")
	c.StartAgain("jobtracker")
	minicluster.Eventually(t, time.Minute, "the journal to have all jobs", func() bool {
		return strings.Count(c.Howdah("job", "-list", "all").Out, succeeded) == 3
	})
}

// Commands, doctor, and a TaskTracker report that a suspended JobTracker accepts connections but
// does not respond. They do not advise the user to start it.
func TestStoppedJobTracker(t *testing.T) {
	c := minicluster.Start(t, minicluster.Options{})
	c.Signal("jobtracker", syscall.SIGSTOP)
	defer c.Signal("jobtracker", syscall.SIGCONT)
	for _, args := range [][]string{{"job", "-list"}, {"doctor"},
		{"run", "-q", "sleep", "-m", "1", "-r", "0", "-mt", "1"}} {
		r := c.Howdah(args...)
		require.NotZero(t, r.Code, args)
		require.Contains(t, r.Out+r.Err, "accepts connections but does not answer", args)
		require.Contains(t, r.Out+r.Err, "check whether its process is stopped", args)
		require.NotContains(t, r.Out+r.Err, "start it", args)
	}
	c.Kill("tasktracker-1")
	c.StartAgain("tasktracker-1")
	minicluster.Eventually(t, time.Minute, "the TaskTracker to say so", func() bool {
		return strings.Contains(c.Log("tasktracker-1"), "accepts connections but does not answer")
	})
}
