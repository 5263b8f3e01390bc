//go:build integration

package trust

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/testuser"
)

// agedFile creates a file that belongs to a user and is old enough for the sweep of staging
// directories to remove it.
func agedFile(t testing.TB, u *testuser.User, name string) {
	t.Helper()
	u.Dir(t, filepath.Dir(name), 0o755)
	u.File(t, name, "", 0o644)
	old := time.Now().Add(-60 * 24 * time.Hour)
	require.NoError(t, os.Chtimes(name, old, old))
}

// Row 5: a user's staging directory contains a link. The JobTracker's sweep removes old files in
// the directory but none behind the link, whether they belong to root or to the user.
func TestMasterSweepsNoLinks(t *testing.T) {
	c := newMasterCluster(t)
	alice, bob := testuser.New(t, "hm-alice"), testuser.New(t, "hm-bob")
	root := filepath.Dir(filepath.Dir(c.staging(testuser.Root, alice)))
	for dir := root; dir != c.dir; dir = filepath.Dir(dir) {
		require.NoError(t, os.MkdirAll(dir, 0o755))
	}
	victims := []string{c.dir + "/of root/file", alice.Home + "/precious/file"}
	agedFile(t, testuser.Root, victims[0])
	agedFile(t, alice, victims[1])
	for i, name := range []string{"programs", "cache"} {
		dir := alice.Dir(t, c.staging(testuser.Root, alice), 0o700)
		alice.Dir(t, filepath.Dir(dir), 0o700)
		require.NoError(t, os.Symlink(filepath.Dir(victims[i]), filepath.Join(dir, name)))
		require.NoError(t, os.Lchown(filepath.Join(dir, name), alice.UID, alice.GID))
	}
	// The sweep visits users in alphabetical order, so it has visited alice when bob's file is
	// gone.
	swept := c.staging(testuser.Root, bob) + "/programs/file"
	agedFile(t, bob, swept)
	bob.Dir(t, c.staging(testuser.Root, bob), 0o700)
	bob.Dir(t, filepath.Dir(c.staging(testuser.Root, bob)), 0o700)
	c.startJobTracker(testuser.Root)
	masterEventually(t, "bob's old file to be removed", func() bool {
		_, err := os.Stat(swept)
		return os.IsNotExist(err)
	})
	for _, name := range victims {
		require.FileExists(t, name)
	}
}

// Row 6: before root could create hadoop.tmp.dir, somebody else created it with links in it.
// Neither daemon starts, and nothing behind the links changes.
func TestMasterRefusesStrangersDirectories(t *testing.T) {
	c := newMasterCluster(t)
	mallory := testuser.New(t, "hm-mallory")
	victim := c.dir + "/victim"
	agedFile(t, testuser.Root, victim+"/precious/file")
	agedFile(t, testuser.Root, victim+"/taskTracker/precious")
	tmp := mallory.Dir(t, c.tmp(testuser.Root), 0o777)
	mallory.Dir(t, tmp+"/mapred", 0o777)
	for _, name := range []string{"local", "system", "jobtracker", "staging"} {
		require.NoError(t, os.Symlink(victim, filepath.Join(tmp, "mapred", name)))
		require.NoError(t, os.Lchown(filepath.Join(tmp, "mapred", name), mallory.UID, mallory.GID))
	}
	before := masterFiles(t, victim)
	for _, daemon := range []string{"jobtracker", "tasktracker"} {
		t.Run(daemon, func(t *testing.T) {
			out, code := runAtMost(t, c, testuser.Root, daemon)
			require.Equal(t, before, masterFiles(t, victim))
			require.Equal(t, 3, code, out)
			require.Contains(t, out, "belongs to hm-mallory")
			require.Contains(t, out, "hadoop.tmp.dir")
		})
	}

	// The same protection applies to a daemon of an ordinary user.
	alice := testuser.New(t, "hm-alice")
	require.NoError(t, os.Mkdir(c.dir+"/open", 0o755))
	require.NoError(t, os.Chmod(c.dir+"/open", os.ModeSticky|0o777))
	mallory.Dir(t, c.dir+"/open/hadoop-alice", 0o777)
	out, code := runAtMost(t, c, alice, "tasktracker", "-D", "hadoop.tmp.dir="+c.dir+"/open/hadoop-alice")
	require.Equal(t, 3, code, out)
	require.Contains(t, out, "belongs to hm-mallory")
}

// runAtMost runs a daemon that must refuse to start. If the daemon starts anyway, runAtMost kills
// it after 10 s.
func runAtMost(t testing.TB, c *masterCluster, u *testuser.User, args ...string) (string, int) {
	t.Helper()
	cmd, log := c.command(u, args...), &masterLog{}
	cmd.Stdout, cmd.Stderr = log, log
	require.NoError(t, cmd.Start())
	timer := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	_ = cmd.Wait()
	return log.String(), cmd.ProcessState.ExitCode()
}
