package client_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/client"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// Nobody but the user can read or change what the user stages.
func TestStagedFilesArePrivate(t *testing.T) {
	m := newMaster(t)
	c := m.dial()
	home := filepath.Dir(filepath.Dir(m.dir()))
	submit := func() error {
		_, err := c.Submit(t.Context(), client.Job{Name: "j", Conf: m.conf, Splits: make([]mapreduce.Split, 1)})
		return err
	}
	require.NoError(t, submit())
	require.NoError(t, filepath.WalkDir(home, func(name string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		i, err := d.Info()
		require.NoError(t, err)
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		require.Equal(t, want, i.Mode().Perm(), name)
		return nil
	}))

	require.NoError(t, os.Chmod(home, 0o755))
	require.NoError(t, os.Chmod(home+"/.staging", 0o777)) // made by an earlier version
	require.NoError(t, submit())
	i, err := os.Stat(home)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o755), i.Mode().Perm(), "it may be the user's home directory")
	i, err = os.Stat(home + "/.staging")
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o700), i.Mode().Perm())

	require.NoError(t, os.Chmod(home, 0o777))
	require.True(t, failure.Is(submit(), failure.Permission), "others could replace .staging")
	require.NoError(t, os.Chmod(home, 0o755))
	require.NoError(t, os.Rename(home+"/.staging", home+"/elsewhere"))
	require.NoError(t, os.Symlink("elsewhere", home+"/.staging"))
	require.True(t, failure.Is(submit(), failure.Permission), "a link")
	if os.Geteuid() == 0 {
		require.NoError(t, os.Remove(home+"/.staging"))
		require.NoError(t, os.Chown(home, 65534, 65534))
		require.ErrorContains(t, submit(), "it belongs to")
	}
}
