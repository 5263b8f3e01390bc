//go:build integration

package integration

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
)

// A child process dies in each phase. Another attempt does its work, and the failure counts once.
func TestChildDies(t *testing.T) {
	bin := trouble(t)
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2, Set: hasty})
	t.Run("jobs", func(t *testing.T) {
		for _, typ := range []string{"map", "reduce"} {
			for place, how := range map[string]string{"setup": "exit", "record": "wait", "cleanup": "panic"} {
				t.Run(typ+" "+place+" "+how, func(t *testing.T) {
					t.Parallel()
					j := begin(t, c, bin, "trouble."+typ+"="+how, "trouble.at="+place, "trouble.attempts=1")
					if how == "wait" {
						j.kill(strings.ToUpper(typ))
					}
					j.succeeds()
					require.Equal(t, 1, j.count("", "FAILED"))
					require.Equal(t, 1, j.count(strings.ToUpper(typ), "FAILED"))
					require.Equal(t, 6, j.count("", "SUCCEEDED"))
				})
			}
		}
		t.Run("shuffle", func(t *testing.T) {
			t.Parallel()
			j := begin(t, c, bin, "trouble.map=wait", "trouble.at=record", "mapreduce.job.reduce.slowstart.completedmaps=0")
			j.kill("REDUCE")
			j.open()
			j.succeeds()
		})
	})
	nothingLeft(t, c)
}

// A task that reports no progress is killed with all of its descendants, even those in other
// sessions.
func TestTaskHangs(t *testing.T) {
	bin := trouble(t)
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2, Set: hasty})
	j := begin(t, c, bin, "trouble.map=hang", "trouble.at=record", "trouble.attempts=1", "mapreduce.task.timeout=1500")
	grandchild := func() bool {
		for _, p := range c.Processes() {
			if strings.Contains(p, "sleep 1234") {
				return true
			}
		}
		return false
	}
	j.until("the grandchild to run", grandchild)
	require.Contains(t, j.succeeds().Err, "failed to report status")
	require.False(t, grandchild())
	require.Equal(t, 1, j.count("MAP", "FAILED"))
	nothingLeft(t, c, j.out)
}

// If the user's code always fails on a record, the job fails with the code's message. Other jobs
// and daemons are not affected.
func TestPoisonRecord(t *testing.T) {
	bin := trouble(t)
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2, Set: hasty})
	t.Run("jobs", func(t *testing.T) {
		for _, typ := range []string{"map", "reduce"} {
			for _, how := range []string{"error", "panic"} {
				t.Run(typ+" "+how, func(t *testing.T) {
					t.Parallel()
					j := begin(t, c, bin, "trouble."+typ+"="+how, "trouble.at=record")
					r := j.wait()
					require.Equal(t, 1, r.Code, r.Err)
					require.Contains(t, r.Err, "the poison is in here")
					require.Equal(t, 4, j.count(strings.ToUpper(typ), "FAILED"))
					require.NoFileExists(t, filepath.Join(j.out, "_SUCCESS"))
					require.NoDirExists(t, filepath.Join(j.out, "_temporary"))
					files, _ := filepath.Glob(filepath.Join(j.out, "part-*"))
					require.Empty(t, files)
				})
			}
		}
		t.Run("a good job beside them", func(t *testing.T) {
			t.Parallel()
			begin(t, c, bin).succeeds()
		})
	})
	require.NotContains(t, ok(t, c.Howdah("job", "-list-blacklisted-trackers")).Out, "tracker_",
		"the nodes are not to blame")
	require.Equal(t, 2, strings.Count(ok(t, c.Howdah("job", "-list-active-trackers")).Out, "tracker_"))
	nothingLeft(t, c)
}

// If a map output is damaged or missing, its map runs again. No reduce uses the damaged output.
func TestMapOutputIsLost(t *testing.T) {
	bin := trouble(t)
	for name, harm := range map[string]func(string) error{
		"gone":      os.Remove,
		"truncated": func(f string) error { return os.Truncate(f, 10) },
		"damaged": func(f string) error {
			b, err := os.ReadFile(f)
			if err != nil {
				return err
			}
			b[len(b)/2] ^= 0x10
			return os.WriteFile(f, b, 0o644)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2, Set: append([]string{
				"mapreduce.reduce.shuffle.max-fetch-failures-notifications=1", "mapreduce.job.reduce.slowstart.completedmaps=1"},
				hasty...)})
			j := begin(t, c, bin, "trouble.map=wait", "trouble.at=record")
			j.until("three maps to end", func() bool { return j.count("MAP", "SUCCEEDED") == 3 })
			outputs, err := filepath.Glob(filepath.Join(c.Dir, "local/*/taskTracker/*/jobcache/job_*/attempt_*_m_*/output/*"))
			require.NoError(t, err)
			n := 0
			for _, f := range outputs {
				if info, err := os.Stat(f); err == nil && info.Size() > 100 && n == 0 {
					require.NoError(t, harm(f))
					n++
				}
			}
			require.Equal(t, 1, n, "%v", outputs)
			j.open()
			j.succeeds()
			require.Greater(t, j.count("MAP", ""), 4, "a map has run again")
			nothingLeft(t, c, j.out)
		})
	}
}

// A job finishes even though the disk of one TaskTracker is full.
func TestFullLocalDisk(t *testing.T) {
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2,
		Set: append([]string{"mapreduce.jobtracker.tasktracker.maxblacklists=1"}, hasty...), Prepare: func(dir string) {
			small := filepath.Join(dir, "local", "tasktracker-1")
			require.NoError(t, os.MkdirAll(small, 0o755))
			if err := mountSmall(small, 1<<20); err != nil {
				t.Skip("cannot mount a small file system (needs root): ", err)
			}
			t.Cleanup(func() { _ = unmount(small) })
		}})
	in, want := text(t, 2, 60000)
	out := filepath.Join(t.TempDir(), "out")
	r := ok(t, c.Command(trouble(t), append(defines([]string{"mapreduce.task.io.sort.mb=1", "mapreduce.job.reduces=2"}),
		in, out)...))
	require.Equal(t, want, counts(t, out))
	failed := attempts(t, dial(t, c), "", "FAILED")
	require.NotEmpty(t, failed, r.Err)
	for _, a := range failed {
		require.Contains(t, a.Diagnostics, "no space left", a.ID)
	}
	nothingLeft(t, c, out)
}
