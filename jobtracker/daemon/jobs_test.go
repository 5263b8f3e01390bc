package daemon

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/fifo"
)

func openTestJobs(t *testing.T, dir string, fs disk.FS) (*jobs, error) {
	policy, err := fifo.New(scheduler.Setup{Conf: conf.New()})
	require.NoError(t, err)
	m, err := jobtracker.New(jobtracker.DefaultConfig(), policy)
	require.NoError(t, err)
	return openJobs(dir, fs, m, nil)
}

// A crash while the file of a new job is written leaves nothing.
func TestTornFileOfNewJob(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "jobs"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "jobs", "7.info"), []byte{8}, 0o600))
	j, err := openTestJobs(t, dir, disk.OS)
	require.NoError(t, err)
	require.Empty(t, j.abandoned())
	require.Equal(t, []string{"last"}, names(t, j.dir))
}
