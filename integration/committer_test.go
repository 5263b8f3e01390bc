//go:build integration

package integration

import (
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/job"
)

// calls returns how often a ledger records each method of the committer.
func calls(t testing.TB, ledger string) map[string]int {
	t.Helper()
	entries, err := os.ReadDir(ledger)
	require.NoError(t, err)
	n := map[string]int{}
	for _, e := range entries {
		n[strings.Fields(e.Name())[0]]++
	}
	return n
}

// A job's own committer sets up the job, commits each task once, and commits the job. A step that
// fails, crashes, or loses its node is repeated. A job that does not succeed is aborted with its
// final state.
func TestCommitters(t *testing.T) {
	bin, dir := features(t), t.TempDir()
	put(t, dir+"/in/a", "one\ntwo\n")
	put(t, dir+"/in/b", "one\n")
	put(t, dir+"/bad/a", "panic\n")
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2, Set: hasty})
	good := map[string]int{"SetupJob": 1, "SetupTask": 3, "CommitTask": 3, "CommitJob": 1}
	run := func(t *testing.T, in string, set ...string) (minicluster.Result, map[string]int, string) {
		out := t.TempDir()
		args := append([]string{"committed", "-D", "features.ledger=" + out + "/ledger", "-D", "mapreduce.map.maxattempts=2",
			"-D", "mapreduce.task.timeout=3000"}, set...)
		r := c.Command(bin, append(args, dir+in, out+"/out")...)
		n := map[string]int{}
		if _, err := os.Stat(out + "/ledger"); err == nil {
			n = calls(t, out+"/ledger")
		}
		return r, n, out + "/out"
	}
	t.Run("jobs", func(t *testing.T) {
		for _, set := range []string{"nothing=", "SetupJob=fail-once", "SetupJob=exit-once", "CommitJob=fail-once",
			"CommitJob=exit-once", "CommitTask=fail-once", "SetupTask=exit-once"} {
			t.Run("good "+set, func(t *testing.T) {
				t.Parallel()
				r, n, out := run(t, "/in", "-D", "features."+set)
				ok(t, r)
				require.Equal(t, map[string]int{"one": 2, "two": 1}, counts(t, out))
				want := maps.Clone(good)
				if set == "CommitTask=fail-once" {
					want["SetupTask"], want["AbortTask"] = 6, 3
				}
				if set == "SetupTask=exit-once" { // the cleanup aborts the attempts whose processes have exited
					want["AbortTask"] = 3
				}
				require.Equal(t, want, n)
			})
		}
		for set, want := range map[string]string{"SetupJob=fail": "AbortJob-FAILED", "CommitJob=fail": "AbortJob-FAILED",
			"CommitTask=fail": "AbortJob-FAILED"} {
			t.Run("bad "+set, func(t *testing.T) {
				t.Parallel()
				r, n, out := run(t, "/in", "-D", "features."+set)
				require.Equal(t, 1, r.Code, r.Err)
				require.Contains(t, r.Err, "the ledger refuses")
				require.Equal(t, 1, n[want], n)
				require.Zero(t, n["CommitJob"])
				require.NoFileExists(t, out+"/_SUCCESS")
				require.NoDirExists(t, out+"/_temporary")
			})
		}
		t.Run("bad task", func(t *testing.T) {
			t.Parallel()
			r, n, _ := run(t, "/bad")
			require.Equal(t, 1, r.Code)
			require.Equal(t, map[string]int{"SetupJob": 1, "SetupTask": 2, "AbortTask": 2, "AbortJob-FAILED": 1}, n)
		})
		t.Run("bad clean-up", func(t *testing.T) {
			t.Parallel()
			r, n, _ := run(t, "/bad", "-D", "features.AbortJob-FAILED=fail")
			require.Equal(t, 1, r.Code)
			require.Contains(t, r.Err, "cleanup failed")
			require.Zero(t, n["AbortJob-FAILED"])
		})
	})
	// The job is killed during its setup.
	out := t.TempDir()
	wait, _ := c.BackgroundCommand(bin, "committed", "-D", "mapreduce.job.name=to-kill",
		"-D", "features.ledger="+out+"/ledger", "-D", "features.SetupJob=hang-once", dir+"/in", out+"/out")
	minicluster.Eventually(t, 60*time.Second, "the set-up to hang", func() bool {
		entries, _ := os.ReadDir(out + "/ledger")
		return len(entries) == 1
	})
	x := dial(t, c)
	for _, s := range jobs(t, x) {
		if s.Name == "to-kill" {
			ok(t, c.Howdah("job", "-kill", s.ID.String()))
		}
	}
	require.Equal(t, 1, wait().Code)
	require.Equal(t, map[string]int{"hangs": 1, "AbortJob-KILLED": 1}, calls(t, out+"/ledger"))

	// A node is lost during the commit of the job.
	out = t.TempDir()
	wait, _ = c.BackgroundCommand(bin, "committed", "-D", "mapreduce.job.name=to-lose",
		"-D", "features.ledger="+out+"/ledger", "-D", "features.CommitJob=hang-once", dir+"/in", out+"/out")
	minicluster.Eventually(t, 60*time.Second, "the commit to hang", func() bool {
		entries, _ := os.ReadDir(out + "/ledger")
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), "hangs") {
				return true
			}
		}
		return false
	})
	minicluster.Eventually(t, 60*time.Second, "its tracker to be killed", func() bool {
		for _, s := range jobs(t, x) {
			for _, a := range s.Attempts {
				for _, part := range []string{"tasktracker-1", "tasktracker-2"} {
					if s.Name == "to-lose" && a.ID.Type == job.Cleanup && a.State == job.AttemptRunning &&
						strings.Contains(c.Log(part), a.Tracker) {
						c.Kill(part)
						c.StartAgain(part)
						return true
					}
				}
			}
		}
		return false
	})
	ok(t, wait())
	require.Equal(t, map[string]int{"hangs": 1, "SetupJob": 1, "SetupTask": 3, "CommitTask": 3, "CommitJob": 1},
		calls(t, out+"/ledger"))

	alone := t.TempDir()
	ok(t, minicluster.RunAlone(t, bin, "committed", "-D", "features.ledger="+alone+"/ledger", dir+"/in", alone+"/out"))
	require.Equal(t, good, calls(t, alone+"/ledger"))
	require.Equal(t, 1, minicluster.RunAlone(t, bin, "committed", "-D", "features.ledger="+alone+"/ledger2", dir+"/bad",
		alone+"/out2").Code)
	require.Equal(t, map[string]int{"SetupJob": 1, "SetupTask": 1, "AbortTask": 1, "AbortJob-FAILED": 1},
		calls(t, alone+"/ledger2"))
	nothingLeft(t, c)
}
