package daemon

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
)

// TestPreservedFilesStay checks that preserved files stay after the cleanup of their attempts and
// job.
func TestPreservedFilesStay(t *testing.T) {
	const id, failed, named, other = "job_1_0001", "attempt_1_0001_m_000000_0", "attempt_1_0001_m_000001_0",
		"attempt_1_0001_m_000002_0"
	root := t.TempDir()
	c := conf.New()
	c.Set("keep.failed.task.files", "true", "test")
	c.Set("keep.task.files.pattern", ".*_m_000001_.", "test")
	p, err := preserves(c)
	require.NoError(t, err)
	j := &localJob{id: id, preserving: p, roots: []string{root}, cancel: func() {}, done: make(chan struct{}),
		gone: make(chan struct{}), leave: sync.Once{}}
	close(j.done)
	for _, name := range []string{failed, named, other} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, name, workDir), 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, jobConf), nil, 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(root, "program"), nil, 0o644))
	for i := range int32(3) {
		j.clean(job.Attempt{Task: job.Task{Job: 1, Index: i}}, false, i == 0, 0)
	}
	require.DirExists(t, filepath.Join(root, failed, workDir))
	require.DirExists(t, filepath.Join(root, named, workDir))
	require.NoDirExists(t, filepath.Join(root, other))
	j.removeRoot(root)
	require.DirExists(t, filepath.Join(root, failed, workDir))
	require.DirExists(t, filepath.Join(root, named, workDir))
	require.FileExists(t, filepath.Join(root, jobConf))
	require.NoFileExists(t, filepath.Join(root, "program"))
	c.Set("keep.task.files.pattern", "(", "test")
	_, err = preserves(c)
	require.Error(t, err)
	require.True(t, mayPreserve([]byte("<name>mapreduce.task.files.preserve.failedtasks</name>")))
}
