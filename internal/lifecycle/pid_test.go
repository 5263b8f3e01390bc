package lifecycle

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

// TestPIDFilesFollowNoLinks checks that links that another user has put beside a PID file, or in its
// place, lead the daemon nowhere.
func TestPIDFilesFollowNoLinks(t *testing.T) {
	dir, victim := t.TempDir(), filepath.Join(t.TempDir(), "victim")
	require.NoError(t, os.WriteFile(victim, []byte("precious"), 0o600))
	file := filepath.Join(dir, "pid")
	for pid := os.Getpid() - 10; pid < os.Getpid()+10; pid++ {
		require.NoError(t, os.Symlink(victim, filepath.Join(dir, ".pid."+strconv.Itoa(pid))))
	}
	for _, pid := range []int{7, 8} {
		require.NoError(t, WritePID(file, pid))
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, strconv.Itoa(pid)+"\n", string(b))
	}
	info, err := os.Lstat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o644), info.Mode(), "other users' commands read it")
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, list, 21, "nothing but the file and the links")

	require.NoError(t, os.Remove(file))
	require.NoError(t, os.Symlink(victim, file))
	err = WritePID(file, 7)
	require.True(t, failure.Is(err, failure.Config), "%v", err)
	require.ErrorContains(t, err, "remove the link")
	b, err := os.ReadFile(victim)
	require.NoError(t, err)
	require.Equal(t, "precious", string(b))

	require.NoError(t, WritePID("", 7))
	err = WritePID(filepath.Join(dir, "missing", "pid"), 7)
	require.True(t, failure.Is(err, failure.NotFound), "%v", err)
	require.ErrorContains(t, WritePID(dir, 7), dir, "a directory")
}
