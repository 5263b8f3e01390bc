package dirlock

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

func TestOneOwner(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made")
	l, err := Take(dir, 0o700, "TaskTracker", "some.dir")
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) { // fake clock for the retries
		_, err = Take(dir, 0o700, "TaskTracker", "some.dir")
	})
	require.Equal(t, failure.Exists, failure.KindOf(err))
	require.ErrorContains(t, err, "TaskTracker with process ID "+strconv.Itoa(os.Getpid()))
	require.ErrorContains(t, err, "some.dir")
	require.NoError(t, l.Release())
	l, err = Take(dir, 0o700, "TaskTracker", "some.dir")
	require.NoError(t, err)
	require.NoError(t, l.Release())
}

// Take waits for a killed predecessor, which holds the directory for a moment. Take fails after two
// seconds if the holder stays alive.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, began := t.TempDir(), time.Now()
		dying, err := Take(dir, 0o700, "TaskTracker", "some.dir")
		require.NoError(t, err)
		require.Zero(t, time.Since(began))
		go func() {
			time.Sleep(990 * time.Millisecond) // between two tries, so that the order of release and retry is certain
			dying.Release()
		}()
		l, err := Take(dir, 0o700, "TaskTracker", "some.dir")
		require.NoError(t, err)
		defer l.Release()
		require.Equal(t, time.Second, time.Since(began))

		began = time.Now()
		_, err = Take(dir, 0o700, "TaskTracker", "some.dir")
		require.Equal(t, failure.Exists, failure.KindOf(err))
		require.Equal(t, 2*time.Second, time.Since(began))
	})
}

func TestNoDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := Take(file, 0o700, "x", "some.dir")
	require.ErrorContains(t, err, "some.dir")
}
