package owndir

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

const stranger = 65533

func mode(t *testing.T, dir string) os.FileMode {
	t.Helper()
	i, err := os.Stat(dir)
	require.NoError(t, err)
	return i.Mode() &^ os.ModeDir
}

func TestMake(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, Check(dir+"/a/b/c", "key"))
	require.NoDirExists(t, dir+"/a")
	require.NoError(t, Make(dir+"/a/b/c", Private, "key"))
	require.Equal(t, Private, mode(t, dir+"/a/b/c"))
	require.Equal(t, Crossed(), mode(t, dir+"/a/b"))
	require.NoError(t, Make(dir+"/x", os.ModeSticky|0o733, "key"))
	require.Equal(t, os.ModeSticky|0o733, mode(t, dir+"/x"))

	for had, want := range map[os.FileMode][2]os.FileMode{
		0o755: {0o755, 0o755}, 0o777: {0o755, 0o755}, 0o775: {0o755, 0o755}, 0o700: {0o700, 0o711}, 0o750: {0o750, 0o751},
	} {
		for i, m := range []os.FileMode{Private, 0o711} {
			name := filepath.Join(t.TempDir(), "d")
			require.NoError(t, os.Mkdir(name, 0o700))
			require.NoError(t, os.Chmod(name, had))
			require.NoError(t, Make(name, m, "key"))
			require.Equal(t, want[i], mode(t, name), "%o for %o", had, m)
		}
	}
	require.NoError(t, os.Chmod(dir+"/x", 0o777))
	require.NoError(t, Make(dir+"/x", os.ModeSticky|0o733, "key"))
	require.Equal(t, os.ModeSticky|0o777, mode(t, dir+"/x"))
	t.Setenv("TMPDIR", dir+"/x")
	err := Make(dir+"/x", Private, "some.key")
	require.True(t, failure.Is(err, failure.Config), "%v", err)
	require.ErrorContains(t, err, "some.key")
	t.Setenv("TMPDIR", dir)
	require.NoError(t, Make(dir+"/x", Private, "key"), "nobody else uses it")
	require.Equal(t, os.ModeSticky|0o755, mode(t, dir+"/x"))

	require.NoError(t, os.WriteFile(dir+"/file", nil, 0o600))
	require.Error(t, Make(dir+"/file", Private, "key"))
	require.Error(t, Make(dir+"/file/dir", Private, "key"))
	require.NoError(t, os.Symlink("loop", dir+"/loop"))
	require.Error(t, Make(dir+"/loop", Private, "key"))
	require.NoError(t, os.Symlink("a/new", dir+"/own"))
	require.NoError(t, Make(dir+"/own/sub", Private, "key"), "a link of this user")
	require.DirExists(t, dir+"/a/new/sub")
}

// A directory or link of another user is refused, and nothing happens behind it.
func TestStrangers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make files of others")
	}
	dir := t.TempDir()
	tmp := dir + "/tmp"
	require.NoError(t, os.Mkdir(tmp, 0o700))
	require.NoError(t, os.Chmod(tmp, os.ModeSticky|0o777))
	require.NoError(t, os.Mkdir(dir+"/target", 0o755))
	require.NoError(t, os.Mkdir(tmp+"/theirs", 0o777))
	require.NoError(t, os.Symlink(dir+"/target", tmp+"/link"))
	require.NoError(t, os.Symlink(dir+"/target", tmp+"/mine"))
	for _, name := range []string{"/theirs", "/link"} {
		require.NoError(t, os.Lchown(tmp+name, stranger, stranger))
	}
	for _, name := range []string{"/theirs", "/theirs/a/b", "/link", "/link/a"} {
		err := Make(tmp+name, Private, "some.key")
		require.True(t, failure.Is(err, failure.Config), "%s: %v", name, err)
		require.ErrorContains(t, err, "belongs to 65533")
		require.ErrorContains(t, err, "some.key")
		require.True(t, failure.Is(Check(tmp+name, "key"), failure.Config))
	}
	require.NoError(t, Make(tmp+"/mine/a", Private, "key"))
	require.DirExists(t, dir+"/target/a")
	require.NoError(t, Make(tmp+"/new", Private, "key"))

	require.True(t, failure.Is(Make(tmp, Private, "key"), failure.Config), "others use it")
	require.Equal(t, os.ModeSticky|0o777, mode(t, tmp))

	// The remedy is to remove what is left over, but not the home of a user.
	require.ErrorContains(t, Make(tmp+"/theirs/a", Private, "key"), "remove it")
	require.NoError(t, os.Mkdir(dir+"/home", 0o755))
	require.NoError(t, os.Lchown(dir+"/home", stranger, stranger))
	err := Make(dir+"/home/tmp", Private, "some.key")
	require.ErrorContains(t, err, dir+"/home belongs to 65533; set some.key to a directory that only root can change")
	require.NotContains(t, err.Error(), "remove")
	require.NotContains(t, Make(tmp, Private, "key").Error(), "remove")

	// Without the sticky bit, others can replace the entries of the directory.
	require.NoError(t, os.Chmod(tmp, 0o777))
	for _, name := range []string{"/new", "/other", "/new/deep"} {
		err := Make(tmp+name, Private, "key")
		require.True(t, failure.Is(err, failure.Config), "%s: %v", name, err)
	}
	require.NoDirExists(t, tmp+"/new/deep")
}

// TestGroups checks that members of a group cannot replace a directory either.
func TestGroups(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give directories to any group")
	}
	dir := t.TempDir() + "/shared"
	require.NoError(t, os.Mkdir(dir, 0o700))
	group := func(gid int, m os.FileMode) {
		require.NoError(t, os.Chown(dir, 0, gid))
		require.NoError(t, os.Chmod(dir, m))
	}
	group(stranger, 0o775)
	for _, name := range []string{"/new", "/new/deep"} {
		err := Make(dir+name, Private, "some.key")
		require.True(t, failure.Is(err, failure.Config), "%s: %v", name, err)
		require.ErrorContains(t, err, "users in group 65533 can replace it, because "+dir+" is writable by them")
		require.NoDirExists(t, dir+"/new/deep")
	}
	group(usersGroup, 0o775)
	require.ErrorContains(t, Make(dir+"/new", Private, "some.key"), "can replace it")
	for gid, m := range map[int]os.FileMode{stranger: 0o755, 0: 0o775, 4: 0o775, stranger + 1: os.ModeSticky | 0o775} {
		group(gid, m)
		require.NoError(t, Make(dir+"/new", Private, "some.key"), "%d %o", gid, m)
	}
	group(stranger, 0o775)
	require.NoError(t, Make(dir, Private, "some.key"), "its own directory becomes private")
	require.Equal(t, os.FileMode(0o755), mode(t, dir))
}
