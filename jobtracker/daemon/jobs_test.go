package daemon

import (
	"bytes"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/internal/disk/disktest"
	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/fifo"
)

func openTestJobs(t *testing.T, dir string, fs disk.FS) (*jobs, error) {
	return openLoggedJobs(t, dir, fs, io.Discard)
}

func openLoggedJobs(t *testing.T, dir string, fs disk.FS, log io.Writer) (*jobs, error) {
	policy, err := fifo.New(scheduler.Setup{Conf: conf.New()})
	require.NoError(t, err)
	m, err := jobtracker.New(jobtracker.DefaultConfig(), policy)
	require.NoError(t, err)
	return openJobs(dir, fs, m, slog.New(slog.NewTextHandler(log, nil)))
}

// No power failure makes the JobTracker hand out a job number twice.
func TestReserveSurvivesPowerFailures(t *testing.T) {
	disktest.Cuts(t, 100, func(t *testing.T, d *disktest.Disk, dir string, _ *rand.Rand) func(string) {
		last, told := int32(0), int32(0)
		for range 3 {
			j, err := openTestJobs(t, dir, d)
			for range 3*reserveAhead/2 + 1 {
				if err == nil {
					last, err = j.reserve()
				}
				if err == nil {
					require.Greater(t, last, told)
					told = last
				}
			}
			if err == nil {
				j.close()
			}
		}
		return func(after string) {
			j, err := openTestJobs(t, after, disk.OS)
			require.NoError(t, err)
			require.False(t, j.wasReserved(told+2*reserveAhead))
			next, err := j.reserve()
			require.NoError(t, err)
			require.Greater(t, next, told)
		}
	})
}

// A JobTracker that stops normally skips no numbers.
func TestReserveContinues(t *testing.T) {
	dir := t.TempDir()
	for want := int32(1); want < 5; want++ {
		j, err := openTestJobs(t, dir, disk.OS)
		require.NoError(t, err)
		got, err := j.reserve()
		require.NoError(t, err)
		require.Equal(t, want, got)
		j.close()
	}
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

// TestUnknownJobsAreNamed checks that the log tells of jobs that clients know but the journal does not.
func TestUnknownJobsAreNamed(t *testing.T) {
	dir := t.TempDir()
	var log bytes.Buffer
	j, err := openLoggedJobs(t, dir, disk.OS, &log)
	require.NoError(t, err)
	require.Empty(t, log.String())
	for _, seq := range []int32{10, 9} {
		require.NoError(t, j.store(&tracker.JobInfo{Job: seq}))
	}
	j.close()
	_, err = openLoggedJobs(t, dir, disk.OS, &log)
	require.NoError(t, err)
	require.Contains(t, log.String(), "files of jobs that the journal does not know")
	require.Contains(t, log.String(), `jobs="[9 10]"`)
}
