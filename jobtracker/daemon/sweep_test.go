package daemon

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The sweep removes shipped files that no client has submitted for a long time and keeps the
// others.
func TestShippedFilesAreSweptByAge(t *testing.T) {
	c := newCluster(t)
	c.start()
	home := filepath.Join(c.root, "mapred/staging/ann/.staging")
	for dir, age := range map[string]time.Duration{"cache/old": shippedAge + time.Hour,
		"cache/new": shippedAge - time.Hour, "programs/old": shippedAge + time.Hour, "other/old": 10 * shippedAge} {
		name := filepath.Join(home, dir)
		require.NoError(t, os.MkdirAll(name, 0o755))
		require.NoError(t, os.WriteFile(name+"/file", nil, 0o644))
		then := time.Now().Add(-age)
		require.NoError(t, os.Chtimes(name, then, then))
	}
	require.NoError(t, c.sweepOnce(c.ctx(), time.Now().Add(-sweepAge)))
	require.Equal(t, []string{"new"}, names(t, filepath.Join(home, "cache")))
	require.Empty(t, names(t, filepath.Join(home, "programs")))
	require.Equal(t, []string{"old"}, names(t, filepath.Join(home, "other")))
	require.NoError(t, c.stop())
}

// The sweep removes nothing behind a symbolic link, even if it leads to another directory of the same
// user.
func TestSweepFollowsNoLinks(t *testing.T) {
	c := newCluster(t)
	c.start()
	root, victim := filepath.Join(c.root, "mapred/staging"), filepath.Join(c.root, "victim")
	then := time.Now().Add(-10 * shippedAge)
	for _, name := range []string{victim + "/file", victim + "/.staging/cache/file", root + "/ann/.staging/job_1/file"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, nil, 0o644))
		require.NoError(t, os.Chtimes(name, then, then))
	}
	staged := "job_" + c.cluster + "_0099"
	for link, to := range map[string]string{"ann/.staging/programs": victim, "ann/.staging/cache": "job_1",
		"ann/.staging/" + staged: victim, "bob": victim, "dan/.staging": victim + "/.staging"} {
		name := filepath.Join(root, link)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.Symlink(to, name))
	}
	require.NoError(t, c.sweepOnce(c.ctx(), time.Now()))
	require.FileExists(t, victim+"/file")
	require.FileExists(t, victim+"/.staging/cache/file")
	require.FileExists(t, root+"/ann/.staging/job_1/file")
	require.NoError(t, c.stop())
}
