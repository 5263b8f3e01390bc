package daemon

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// The TaskTracker removes the files of an earlier one at its start, but nothing behind links.
func TestSweepFollowsNoLinks(t *testing.T) {
	for link, to := range map[string]string{"taskTracker": "victim", "taskTracker/ann": "victim",
		"taskTracker/distcache": "victim", "taskTracker/distfiles": "victim"} {
		dir := t.TempDir()
		victim, local := filepath.Join(dir, to), filepath.Join(dir, "local")
		require.NoError(t, os.MkdirAll(victim+"/ann/jobcache", 0o755))
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(local, link)), 0o755))
		require.NoError(t, os.Symlink(victim, filepath.Join(local, link)))
		l := localDirs{all: []string{local}}
		broken, err := l.sweep()
		require.NoError(t, err)
		require.Empty(t, broken)
		l.unlock()
		require.DirExists(t, victim+"/ann/jobcache", link)
		require.NoDirExists(t, victim+"/distcache", link)
		for _, name := range []string{trackerDir, trackerDir + "/" + distCache, trackerDir + "/" + cacheFiles} {
			i, err := os.Lstat(filepath.Join(local, name))
			require.NoError(t, err)
			require.True(t, i.IsDir(), name)
		}
	}
}

// A local directory of another user, or behind a link of another user, is refused.
func TestStrangersLocalDirectory(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make files of others")
	}
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(dir+"/victim/taskTracker/precious", 0o755))
	require.NoError(t, os.MkdirAll(dir+"/own/taskTracker/job", 0o755))
	require.NoError(t, os.Symlink(dir+"/victim", dir+"/link"))
	require.NoError(t, os.Lchown(dir+"/link", 65534, 65534))
	l := localDirs{all: []string{dir + "/own", dir + "/link"}}
	_, err := l.sweep()
	require.True(t, failure.Is(err, failure.Config), "%v", err)
	require.ErrorContains(t, err, conf.ClusterLocalDir.Name)
	require.DirExists(t, dir+"/victim/taskTracker/precious")
	require.DirExists(t, dir+"/own/taskTracker/job", "nothing is removed before all directories are checked")
}
