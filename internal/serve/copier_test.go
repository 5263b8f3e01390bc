package serve

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/hdfs"
	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/daemon"
)

// lay creates a folder of files. Each file contains its name and a word.
func lay(t *testing.T, dir, word string, names ...string) {
	t.Helper()
	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, os.MkdirAll(dir, 0o755))
	for _, name := range names {
		file := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(name+word), 0o644))
	}
}

// lies returns the contents of the files in a folder by name.
func lies(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(file string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(file)
		name, _ := filepath.Rel(dir, file)
		out[name] = string(b)
		return err
	}))
	return out
}

func newCopier(dir string) func(from, to string) error {
	k := copier{conf: conf.New(), dir: filepath.Join(dir, "agent")}
	return func(from, to string) error {
		return k.copy(context.Background(), &mrcluster.Spec{Name: "a", Core: 1, User: passwd.Me()}, "",
			mrcluster.Copy{From: "file:" + from, To: "file:" + to})
	}
}

// Loaded files have at most as many replicas as there are core nodes, so that no replica is on
// another node. Files that are saved outside have the replication that the agent configures.
func TestCopierReplication(t *testing.T) {
	c := copier{conf: conf.New()}.settings(&mrcluster.Spec{Name: "a", Core: 2, HDFS: true}, "hdfs://own:1")
	for authority, want := range map[string]int{"own:1": 2, "other:1": 3} {
		o, err := hdfs.FromConf(c, authority)
		require.NoError(t, err)
		require.Equal(t, want, o.Replication, authority)
	}
}

// A repeated copy to the same place leaves only the new files. Files that another user changed
// stay.
func TestCopier(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "deep", "to")
	cp := newCopier(dir)
	lay(t, from, "1", "part-0", "part-1", "sub/x")
	for range 2 {
		require.NoError(t, cp(from, to), "a repeated order does no harm")
		require.Equal(t, map[string]string{"part-0": "part-01", "part-1": "part-11", "sub/x": "sub/x1"}, lies(t, to))
	}
	lay(t, from, "2", "part-0")
	require.NoError(t, cp(from, to))
	require.Equal(t, map[string]string{"part-0": "part-02"}, lies(t, to), "no part of an earlier copy")

	require.NoError(t, os.WriteFile(filepath.Join(to, "notes"), nil, 0o644))
	require.True(t, failure.Is(cp(from, to), failure.Exists))
	require.Equal(t, map[string]string{"part-0": "part-02", "notes": ""}, lies(t, to))
}

func TestCopierOfFilesAndPatterns(t *testing.T) {
	dir := t.TempDir()
	from := filepath.Join(dir, "from")
	cp := newCopier(dir)
	lay(t, from, "1", "a", "b", "c")
	require.NoError(t, cp(from+"/a", dir+"/one"))
	require.FileExists(t, filepath.Join(dir, "one"))
	require.NoError(t, cp(from+"/[ab]", dir+"/some"))
	require.Equal(t, map[string]string{"a": "a1", "b": "b1"}, lies(t, dir+"/some"))
	require.NoError(t, os.Remove(from+"/a"))
	lay(t, from, "2", "b", "ab")
	require.NoError(t, cp(from+"/*b", dir+"/others"))
	require.Equal(t, map[string]string{"ab": "ab2", "b": "b2"}, lies(t, dir+"/others"))
}

// An interrupted copy does not mix with the next copy.
func TestCopierAfterACopyThatWasCutOff(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	lay(t, from, "2", "part-0", "part-1")
	lay(t, filepath.Join(dir, ".to.howdah", "new"), "1", "part-0", "part-7")
	require.NoError(t, newCopier(dir)(from, to))
	require.Equal(t, map[string]string{"part-0": "part-02", "part-1": "part-12"}, lies(t, to))
	lay(t, filepath.Join(dir, ".one.howdah", "new"), "1", "part-0")
	require.NoError(t, newCopier(dir)(from+"/part-0", dir+"/one"))
	require.FileExists(t, filepath.Join(dir, "one"))
}

// A missing source causes an error, and the previous copy stays.
func TestCopierWithoutSource(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	cp := newCopier(dir)
	lay(t, from, "1", "a")
	require.NoError(t, cp(from, to))
	require.NoError(t, os.RemoveAll(from))
	for _, name := range []string{from, from + "/*"} {
		err := cp(name, to)
		require.True(t, errors.Is(err, daemon.ErrMissing) && failure.Is(err, failure.NotFound), err)
		require.ErrorContains(t, err, name)
	}
	require.Equal(t, map[string]string{"a": "a1"}, lies(t, to))
}

// An agent that runs as root copies with the permissions of the user who requested the MR-cluster, in
// both directions. It does not know the rights of a request without a user.
func TestCopiesAreTheUsers(t *testing.T) {
	if os.Geteuid() != 0 || runtime.GOOS != "linux" {
		t.Skip("only root on Linux can act as another user")
	}
	dir := t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755))
	lay(t, dir+"/root", "", "secret")
	require.NoError(t, os.Chmod(dir+"/root/secret", 0o600))
	lay(t, dir+"/home", "", "in/part")
	for _, name := range []string{"", "/in", "/in/part"} {
		require.NoError(t, os.Chown(dir+"/home"+name, 65534, 65534))
	}
	cp := func(user, from, to string) error {
		k := copier{conf: conf.New(), dir: filepath.Join(dir, "agent")}
		return k.copy(context.Background(), &mrcluster.Spec{Name: "a", Core: 1, User: user}, "",
			mrcluster.Copy{From: "file:" + dir + from, To: "file:" + dir + to})
	}
	require.Error(t, cp("nobody", "/root/secret", "/home/taken"))
	require.NoFileExists(t, dir+"/home/taken")
	require.True(t, failure.Is(cp("nobody", "/home/in", "/root/in"), failure.Permission))
	require.True(t, failure.Is(cp("", "/root/secret", "/home/taken"), failure.Permission))
	require.True(t, failure.Is(cp("no-such-user", "/home/in", "/home/out"), failure.Permission))
	require.NoError(t, cp("nobody", "/home/in", "/home/out"))
	i, err := os.Stat(dir + "/home/out/part")
	require.NoError(t, err)
	require.EqualValues(t, 65534, i.Sys().(*syscall.Stat_t).Uid)
	require.NoError(t, cp("root", "/root/secret", "/root/copy"))
}
