package daemon

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

// TestLocalDirectoryHasOneTaskTracker checks that a second TaskTracker on a directory fails to
// start. The files in all directories must stay.
func TestLocalDirectoryHasOneTaskTracker(t *testing.T) {
	shared, own := t.TempDir(), t.TempDir()
	first := localDirs{all: []string{shared}}
	_, err := first.sweep()
	require.NoError(t, err)
	mine := filepath.Join(shared, trackerDir, "root")
	left := filepath.Join(own, trackerDir, "root")
	require.NoError(t, os.MkdirAll(mine, 0o755))
	require.NoError(t, os.MkdirAll(left, 0o755))

	second := localDirs{all: []string{own, shared}}
	synctest.Test(t, func(*testing.T) { // advances the clock past the wait for the lock
		_, err = second.sweep()
	})
	require.Equal(t, failure.Exists, failure.KindOf(err))
	require.ErrorContains(t, err, "mapreduce.cluster.local.dir")
	require.DirExists(t, mine)
	require.DirExists(t, left)

	first.unlock()
	_, err = second.sweep()
	require.NoError(t, err)
	require.NoDirExists(t, mine)
	require.NoDirExists(t, left)
	second.unlock()
}
