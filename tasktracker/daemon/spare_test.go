package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/distcache"
	"github.com/howdah/howdah/job"
)

// TestChildrenKeepTheirDirectories runs three maps in one child. Only the first creates
// directories, unless reducers need its output. What a map leaves is gone.
func TestChildrenKeepTheirDirectories(t *testing.T) {
	for _, reduces := range []int32{0, 1} {
		_, j, _ := jobOf(t, nil)
		j.info.TasksPerChild, j.info.Reduces = -1, reduces
		var first os.FileInfo
		for i, attempt := range attemptsOf {
			dir := filepath.Join(j.home, attempt)
			work := filepath.Join(dir, workDir)
			require.NoError(t, j.makeAttempt(dir, reduces > 0, 7))
			require.Empty(t, entries(t, work))
			now, err := os.Stat(work)
			require.NoError(t, err)
			if i == 0 {
				first = now
			}
			require.True(t, os.SameFile(first, now))
			if reduces > 0 {
				require.DirExists(t, filepath.Join(dir, outputDir))
			} else {
				require.Equal(t, []string{attempt}, entries(t, j.home))
			}
			require.NoError(t, os.MkdirAll(filepath.Join(work, "a", "b"), 0o700))
			say(t, work, "file", "left by a map")
			j.clean(job.Attempt{Task: job.Task{Job: 1, Index: int32(i)}}, true, false, 7)
		}
		if reduces > 0 {
			require.Len(t, entries(t, j.home), 3, "the map outputs stay")
		}
		dir := filepath.Join(j.home, "attempt_202611210000_0001_m_000003_0")
		require.NoError(t, j.makeAttempt(dir, reduces > 0, 8))
		other, err := os.Stat(filepath.Join(dir, workDir))
		require.NoError(t, err)
		require.False(t, os.SameFile(first, other), "the directory of another child")
		require.NoError(t, os.RemoveAll(j.home+"/"+attemptsOf[2]))
		require.NoError(t, j.makeAttempt(dir, reduces > 0, 7), "the user's processes have removed the directory")
		require.Empty(t, entries(t, filepath.Join(dir, workDir)))
	}
}

// TestDirectoriesThatAreNotSpare checks that a new attempt's directory has no trace of earlier ones.
func TestDirectoriesThatAreNotSpare(t *testing.T) {
	work := func(dir string) string { return filepath.Join(dir, workDir) }
	for name, x := range map[string]struct {
		change func(j *localJob, dir string) error
		failed bool
	}{
		"failed": {change: func(*localJob, string) error { return nil }, failed: true},
		"mode":   {change: func(_ *localJob, dir string) error { return os.Chmod(work(dir), 0o755) }},
		"file":   {change: func(_ *localJob, dir string) error { return os.WriteFile(filepath.Join(dir, "x"), nil, 0o600) }},
		"cache": {change: func(j *localJob, _ string) error {
			j.cache = &distcache.Lease{}
			return nil
		}},
		"link": {change: func(_ *localJob, dir string) error {
			return errors.Join(os.Remove(work(dir)), os.Symlink(t.TempDir(), work(dir)))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			_, j, _ := jobOf(t, nil)
			j.info.TasksPerChild = -1
			dir := filepath.Join(j.home, attemptsOf[0])
			require.NoError(t, j.makeAttempt(dir, false, 7))
			require.NoError(t, x.change(j, dir))
			child := int32(7)
			if x.failed {
				child = 0
			}
			j.clean(job.Attempt{Task: job.Task{Job: 1}}, true, x.failed, child)
			require.Empty(t, j.spares)
			require.NoDirExists(t, work(dir))
		})
	}
}
