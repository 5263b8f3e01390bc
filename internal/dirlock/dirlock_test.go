package dirlock

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

func TestOneOwner(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made")
	l, err := Take(dir, 0o700, "TaskTracker", "some.dir")
	require.NoError(t, err)
	_, err = Take(dir, 0o700, "TaskTracker", "some.dir")
	require.Equal(t, failure.Exists, failure.KindOf(err))
	require.ErrorContains(t, err, "TaskTracker with process id "+strconv.Itoa(os.Getpid()))
	require.ErrorContains(t, err, "some.dir")
	require.NoError(t, l.Release())
	l, err = Take(dir, 0o700, "TaskTracker", "some.dir")
	require.NoError(t, err)
	require.NoError(t, l.Release())
}

func TestNoDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := Take(file, 0o700, "x", "some.dir")
	require.ErrorContains(t, err, "some.dir")
}
