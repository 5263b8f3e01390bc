package local

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
	"github.com/stretchr/testify/require"
)

func newFS(t *testing.T) (*FS, string) {
	t.Helper()
	l, err := New(conf.New())
	require.NoError(t, err)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	return l, dir
}

func put(t *testing.T, name, content string, mode fs.FileMode) {
	t.Helper()
	require.NoError(t, os.WriteFile(name, []byte(content), mode))
	require.NoError(t, os.Chmod(name, mode))
}

func TestKindsOfErrors(t *testing.T) {
	for errno, kind := range map[syscall.Errno]failure.Kind{
		syscall.ENOENT: failure.NotFound, syscall.ENOTDIR: failure.NotFound,
		syscall.EEXIST: failure.Exists, syscall.ENOTEMPTY: failure.Exists,
		syscall.EACCES: failure.Permission, syscall.EPERM: failure.Permission,
		syscall.ENOSPC: failure.DiskFull, syscall.EDQUOT: failure.DiskFull,
		syscall.EIO: failure.IO, syscall.EROFS: failure.IO, syscall.EXDEV: failure.IO,
		syscall.EMFILE: failure.IO, syscall.ELOOP: failure.IO,
		syscall.EISDIR: failure.Usage, syscall.EINVAL: failure.Usage, syscall.ENAMETOOLONG: failure.Usage,
	} {
		err := wrap("open", "/x", &fs.PathError{Op: "open", Path: "/x", Err: errno})
		require.Equal(t, kind.String(), failure.KindOf(err).String(), errno.Error())
		require.ErrorIs(t, err, errno)
		require.Equal(t, "open /x: "+errno.Error(), err.Error())
	}
	require.NoError(t, wrap("open", "/x", nil))
}

func TestSymbolicLinksAreFollowed(t *testing.T) {
	l, dir := newFS(t)
	ctx := t.Context()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "d"), 0o777))
	put(t, filepath.Join(dir, "d/real"), "content", 0o640)
	require.NoError(t, os.Symlink("d/real", filepath.Join(dir, "file")))
	require.NoError(t, os.Symlink("d", filepath.Join(dir, "dir")))
	require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, "dangling")))
	require.NoError(t, os.Symlink("loop", filepath.Join(dir, "loop")))

	list, err := l.List(ctx, dir)
	require.NoError(t, err)
	require.Len(t, list, 3, "what leads nowhere is left out: %v", list)
	require.Equal(t, "dir", list[1].Name())
	require.True(t, list[1].Dir)
	require.True(t, list[1].Link)
	require.False(t, list[0].Link)
	require.EqualValues(t, 7, list[2].Size)

	// An overwrite writes to the link's target and keeps the permissions.
	w, err := l.Create(ctx, filepath.Join(dir, "file"), dfs.CreateOptions{Overwrite: true})
	require.NoError(t, err)
	io.WriteString(w, "new")
	require.NoError(t, w.Close())
	b, err := os.ReadFile(filepath.Join(dir, "d/real"))
	require.NoError(t, err)
	require.Equal(t, "new", string(b))
	i, err := os.Lstat(filepath.Join(dir, "file"))
	require.NoError(t, err)
	require.NotZero(t, i.Mode()&fs.ModeSymlink)
	i, err = os.Stat(filepath.Join(dir, "file"))
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o640), i.Mode())

	// Delete and Rename act on the link.
	require.NoError(t, l.Rename(ctx, filepath.Join(dir, "dir"), filepath.Join(dir, "moved")))
	require.NoError(t, l.Delete(ctx, filepath.Join(dir, "moved"), true))
	require.NoError(t, l.Delete(ctx, filepath.Join(dir, "dangling"), false))
	require.FileExists(t, filepath.Join(dir, "d/real"))
	_, err = l.Open(ctx, filepath.Join(dir, "loop"))
	require.Equal(t, failure.IO, failure.KindOf(err))
}

func TestSpecialFilesAreRefused(t *testing.T) {
	l, dir := newFS(t)
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o666))
	for name, what := range map[string]string{pipe: "named pipe", "/dev/null": "device"} {
		_, err := l.Open(t.Context(), name)
		require.Equal(t, failure.Usage, failure.KindOf(err))
		require.ErrorContains(t, err, "is a "+what)
		for _, o := range []dfs.CreateOptions{{Overwrite: true}, {Append: true}} {
			_, err = l.Create(t.Context(), name, o)
			require.Equal(t, failure.Usage, failure.KindOf(err), "%v", err)
		}
		require.Equal(t, failure.Usage, failure.KindOf(l.Truncate(t.Context(), name, 0)))
	}
	list, err := l.List(t.Context(), dir)
	require.NoError(t, err)
	require.Len(t, list, 1)
}

func TestUmaskAndMode(t *testing.T) {
	l, dir := newFS(t)
	old := syscall.Umask(0o027)
	defer syscall.Umask(old)
	create := func(name string, mode uint32) fs.FileMode {
		w, err := l.Create(t.Context(), filepath.Join(dir, name), dfs.CreateOptions{Mode: mode})
		require.NoError(t, err)
		require.NoError(t, w.Close())
		i, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		return i.Mode().Perm()
	}
	require.Equal(t, fs.FileMode(0o640), create("sub/default", 0))
	require.Equal(t, fs.FileMode(0o600), create("secret", 0o600))
	require.Equal(t, fs.FileMode(0o640), create("wide", 0o666))
	i, err := os.Stat(filepath.Join(dir, "sub"))
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o750), i.Mode().Perm())
}

func TestStickyBit(t *testing.T) {
	l, dir := newFS(t)
	mode := uint32(0o1777)
	require.NoError(t, l.SetMeta(t.Context(), dir, dfs.Meta{Mode: &mode}))
	i, err := l.Stat(t.Context(), dir)
	require.NoError(t, err)
	require.Equal(t, mode, i.Mode)
}

func TestSetMetaRefuses(t *testing.T) {
	l, dir := newFS(t)
	three, nobody := 3, "no-such-user-here"
	for _, m := range []dfs.Meta{{Replication: &three}, {Owner: &nobody}, {Group: &nobody}} {
		require.Equal(t, failure.Usage, failure.KindOf(l.SetMeta(t.Context(), dir, m)))
	}
}

// TestRenameCarefully checks that the fallback for systems without a non-replacing rename does not
// replace a target.
func TestRenameCarefully(t *testing.T) {
	_, dir := newFS(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	put(t, in("a"), "a", 0o666)
	put(t, in("b"), "b", 0o666)
	require.NoError(t, os.MkdirAll(in("d/e"), 0o777))
	require.NoError(t, os.Mkdir(in("empty"), 0o777))
	for _, c := range [][2]string{{"a", "b"}, {"a", "empty"}, {"d", "empty"}, {"empty", "d"}, {"d", "a"}} {
		require.ErrorIs(t, renameCarefully(system{}, in(c[0]), in(c[1])), fs.ErrExist, "%v", c)
	}
	require.ErrorIs(t, renameCarefully(system{}, in("none"), in("x")), fs.ErrNotExist)
	require.NoError(t, renameCarefully(system{}, in("a"), in("c")))
	require.NoError(t, renameCarefully(system{}, in("d"), in("f")))
	require.NoFileExists(t, in("a"))
	require.DirExists(t, in("f/e"))
	require.True(t, errors.Is(renameCarefully(system{}, in("f"), in("f/e/x")), syscall.EINVAL))
}

func TestPermissionDenied(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may do everything")
	}
	l, dir := newFS(t)
	ctx := t.Context()
	put(t, filepath.Join(dir, "secret"), "x", 0)
	closed := filepath.Join(dir, "closed")
	require.NoError(t, os.Mkdir(closed, 0o500))
	_, err := l.Open(ctx, filepath.Join(dir, "secret"))
	require.Equal(t, failure.Permission, failure.KindOf(err))
	require.NoError(t, l.Access(ctx, closed, false))
	require.Equal(t, failure.Permission, failure.KindOf(l.Access(ctx, closed, true)))
	_, err = l.Create(ctx, filepath.Join(closed, "new"), dfs.CreateOptions{})
	require.Equal(t, failure.Permission, failure.KindOf(err))
	require.Equal(t, failure.Permission, failure.KindOf(l.Mkdir(ctx, filepath.Join(closed, "new"))))
	require.Equal(t, failure.Permission,
		failure.KindOf(l.Rename(ctx, filepath.Join(dir, "secret"), filepath.Join(closed, "x"))))
	require.NoError(t, os.Chmod(closed, 0))
	require.Equal(t, failure.Permission, failure.KindOf(l.Access(ctx, closed, false)))
	_, err = l.List(ctx, closed)
	require.Equal(t, failure.Permission, failure.KindOf(err))
}

func TestNothingLeftOfAnOverwriteThatFails(t *testing.T) {
	l, dir := newFS(t)
	name := filepath.Join(dir, "f")
	put(t, name, "old", 0o666)
	w, err := l.Create(t.Context(), name, dfs.CreateOptions{Overwrite: true})
	require.NoError(t, err)
	io.WriteString(w, "new")
	require.NoError(t, w.(*writer).f.Close()) // simulates a disk that disappears
	require.Error(t, w.Close())
	list, err := l.List(t.Context(), dir)
	require.NoError(t, err)
	require.Len(t, list, 1)
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, "old", string(b))
}

func TestTruncateAndSpace(t *testing.T) {
	l, dir := newFS(t)
	name := filepath.Join(dir, "f")
	put(t, name, "0123456789", 0o666)
	require.NoError(t, l.Truncate(t.Context(), name, 4))
	i, err := l.Stat(t.Context(), name)
	require.NoError(t, err)
	require.EqualValues(t, 4, i.Size)
	for _, n := range []int64{5, -1} {
		require.Equal(t, failure.Usage, failure.KindOf(l.Truncate(t.Context(), name, n)))
	}
	require.Equal(t, failure.Usage, failure.KindOf(l.Truncate(t.Context(), dir, 0)))
	require.Equal(t, failure.NotFound, failure.KindOf(l.Truncate(t.Context(), name+"x", 0)))
	s, err := l.Space(t.Context(), dir)
	require.NoError(t, err)
	require.Positive(t, s.Free)
	require.Greater(t, s.Total, s.Free)
}

func TestBlockSizeIsConfigured(t *testing.T) {
	c := conf.New()
	c.Set("fs.local.block.size", "1m", "-D")
	l, err := New(c)
	require.NoError(t, err)
	i, err := l.Stat(t.Context(), "/")
	require.NoError(t, err)
	require.EqualValues(t, 1<<20, i.BlockSize)
	c.Set("fs.local.block.size", "0", "-D")
	_, err = New(c)
	require.Equal(t, failure.Config, failure.KindOf(err))
}
