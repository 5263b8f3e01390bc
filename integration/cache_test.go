//go:build integration

package integration

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
)

// features builds the program in testdata/features.
func features(t testing.TB) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "features")
	out, err := exec.Command("go", "build", "-o", bin, "./testdata/features").CombinedOutput()
	require.NoError(t, err, string(out))
	return bin
}

// put creates a file and its directory, and returns the file's name.
func put(t testing.TB, name, text string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	return name
}

// Tasks find the files of -files, -archives, and mapreduce.job.cache.files, both on a cluster and
// in-process. On a cluster, their working directory contains these files. A TaskTracker copies each
// file only once, even if several jobs use it.
func TestDistributedCache(t *testing.T) {
	bin, dir := features(t), t.TempDir()
	stop := put(t, dir+"/local/stop.txt", "stop")
	put(t, dir+"/local/tree/leaf", "leaf")
	put(t, dir+"/pack/in/side", "packed")
	tgz := filepath.Join(dir, "local", "pack.tar.gz")
	out, err := exec.Command("tar", "-C", dir+"/pack", "-czf", tgz, "in").CombinedOutput()
	require.NoError(t, err, string(out))
	there := put(t, dir+"/there/list", "there")
	in := put(t, dir+"/in/f", "stop.txt\ntree/leaf\npack.tar.gz/in/side\nnames\n")
	args := func(outDir string) []string {
		return []string{"cached", "-files", stop + "," + dir + "/local/tree", "-archives", tgz,
			"-D", "mapreduce.job.cache.files=file:" + there + "#names", in, outDir}
	}
	want := "stop.txt\tstop\ntree/leaf\tleaf\npack.tar.gz/in/side\tpacked\nnames\tthere\n"
	ok(t, minicluster.RunAlone(t, bin, args(dir+"/alone")...))
	require.Equal(t, want, parts(t, dir+"/alone"))

	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 1, Set: hasty})
	var waits []func() minicluster.Result
	for _, n := range []string{"1", "2", "3"} {
		wait, _ := c.BackgroundCommand(bin, append([]string{"-files", put(t, dir+"/out-of-process", "")},
			args(dir+"/out"+n)...)...)
		waits = append(waits, wait)
	}
	for i, wait := range waits {
		ok(t, wait())
		got := parts(t, dir+"/out"+string(rune('1'+i)))
		for _, line := range strings.Split(strings.TrimSpace(want), "\n") {
			require.Contains(t, got, line+"\n")
			require.Contains(t, got, "here "+line+"\n")
		}
	}
	copies, err := filepath.Glob(c.Dir + "/*/taskTracker/distfiles/*")
	if len(copies) == 0 {
		copies, err = filepath.Glob(c.Dir + "/*/*/taskTracker/distfiles/*")
	}
	require.NoError(t, err)
	require.Len(t, copies, 5, "one for each content, however many jobs")
	nothingLeft(t, c)
}

// If a cached file changes before a TaskTracker copies it, the job fails with an error that says so.
func TestCachedFileChanges(t *testing.T) {
	bin, dir := features(t), t.TempDir()
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 1, Set: hasty})
	there := put(t, dir+"/there/list", "there")
	in := put(t, dir+"/in/f", "list\n")
	wait, _ := c.BackgroundCommand(bin, "cached", "-D", "features.gate="+dir+"/gate",
		"-D", "mapreduce.job.cache.files="+there, in, dir+"/out")
	minicluster.Eventually(t, 60*time.Second, "the task to run", func() bool { return len(c.Tasks()) > 0 })
	put(t, there, "something else")
	c.Kill("tasktracker-1")
	c.StartAgain("tasktracker-1")
	r := wait()
	require.Equal(t, 1, r.Code, r.Err)
	require.Contains(t, r.Err, "it changed after the job was submitted")
	require.NoFileExists(t, dir+"/out/_SUCCESS")

	// The client rejects an archive with a path outside its folder before the job starts.
	require.NoError(t, exec.Command("tar", "-C", dir, "-P", "-cf", dir+"/evil.tar", "there/../in/f").Run())
	r = c.Command(bin, "cached", "-archives", dir+"/evil.tar", in, dir+"/out2")
	require.Equal(t, 2, r.Code, r.Err)
	require.Contains(t, r.Err, `"there/../in/f"`)
	require.NoDirExists(t, dir+"/out2")
	nothingLeft(t, c, dir+"/out", dir+"/out2")
}
