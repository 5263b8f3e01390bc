package owned

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// hooked is a context that calls f for each entry that a removal visits.
type hooked struct {
	context.Context
	f func() error
}

func (h hooked) Err() error { return h.f() }

// descriptors returns the number of this process's open files.
func descriptors(t *testing.T) int {
	t.Helper()
	open, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return len(open)
}

// gone checks that a file does not exist.
func gone(t *testing.T, name string) {
	t.Helper()
	_, err := os.Lstat(name)
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// deepen creates a directory at each of the given number of levels below dir. It calls fill with a
// descriptor of each.
func deepen(t *testing.T, dir string, levels int, fill func(level, fd int)) {
	t.Helper()
	at, err := unix.Open(dir, unix.O_DIRECTORY, 0)
	require.NoError(t, err)
	for n := range levels {
		require.NoError(t, unix.Mkdirat(at, "d", 0o700))
		next, err := unix.Openat(at, "d", unix.O_DIRECTORY, 0)
		require.NoError(t, err)
		require.NoError(t, unix.Close(at))
		at = next
		fill(n, at)
	}
	require.NoError(t, unix.Close(at))
}

// TestRemoveDeep removes a tree whose paths are longer than the system allows. The number of
// descriptors stays small, and the targets of links stay.
func TestRemoveDeep(t *testing.T) {
	top, outside := t.TempDir(), t.TempDir()
	kept := filepath.Join(outside, "d", "kept")
	require.NoError(t, os.Mkdir(filepath.Dir(kept), 0o700))
	require.NoError(t, os.WriteFile(kept, nil, 0o600))
	tree := filepath.Join(top, "tree")
	require.NoError(t, os.Mkdir(tree, 0o700))
	deepen(t, tree, 3000, func(n, fd int) {
		require.NoError(t, unix.Symlinkat(outside, fd, "link"))
		require.NoError(t, unix.Mkdirat(fd, "unreadable", 0))
		if n%maxOpen == 5 {
			require.NoError(t, unix.Mkdirat(fd, "other", 0o700))
			require.NoError(t, unix.Symlinkat(outside, fd, "other/link"))
		}
	})
	before, most := descriptors(t), 0
	ctx := hooked{t.Context(), func() error { most = max(most, descriptors(t)); return nil }}
	require.NoError(t, RemoveAll(ctx, tree+"/"))
	gone(t, tree)
	require.Greater(t, most, before)
	require.LessOrEqual(t, most-before, 16)
	require.Equal(t, before, descriptors(t))
	require.FileExists(t, kept)

	require.NoError(t, os.Symlink(outside, tree))
	require.NoError(t, RemoveAll(t.Context(), tree))
	gone(t, tree)
	require.FileExists(t, kept)
}

// TestRemoveUnwritable removes links that the user may not remove. Their target stays.
func TestRemoveUnwritable(t *testing.T) {
	top := t.TempDir()
	tree, kept := filepath.Join(top, "tree"), filepath.Join(top, "outside", "kept")
	for _, dir := range []string{tree, filepath.Dir(kept)} {
		require.NoError(t, os.Mkdir(dir, 0o700))
	}
	require.NoError(t, os.WriteFile(kept, nil, 0o600))
	for i := range batchSize + 10 {
		require.NoError(t, os.Symlink("../outside", filepath.Join(tree, strconv.Itoa(i))))
	}
	require.NoError(t, os.Chmod(tree, 0o500))
	dir, err := os.Open(top)
	require.NoError(t, err)
	defer dir.Close()
	err = asStranger(t, func() error { return RemoveIn(t.Context(), dir, "tree") }, top, tree, filepath.Dir(kept), kept)
	require.ErrorIs(t, err, fs.ErrPermission)
	require.FileExists(t, kept)
	require.NoError(t, os.Chmod(tree, 0o700))
	require.NoError(t, RemoveIn(t.Context(), dir, "tree"))
}

// asStranger calls f without root's permissions. The files belong to the user for whom it calls f.
func asStranger(t *testing.T, f func() error, files ...string) error {
	if os.Geteuid() != 0 {
		return f()
	}
	for _, name := range files {
		give(t, name)
	}
	result := make(chan error)
	go func() {
		runtime.LockOSThread() // the thread ends with this goroutine
		if err := unix.Setfsuid(stranger); err != nil {
			result <- err
			return
		}
		result <- f()
	}()
	return <-result
}

// TestRemoveChanging removes a tree that changes after the removal has entered it. An error is
// necessary only if an entry appears.
func TestRemoveChanging(t *testing.T) {
	for name, c := range map[string]struct {
		change func(tree string) error
		want   error
	}{
		"directory vanishes": {func(tree string) error { return os.RemoveAll(filepath.Join(tree, "d")) }, nil},
		"tree vanishes":      {os.RemoveAll, nil},
		"tree moves":         {func(tree string) error { return os.Rename(tree, tree+".moved") }, nil},
		"file appears": {func(tree string) error { return os.WriteFile(filepath.Join(tree, "d/new"), nil, 0o600) },
			unix.ENOTEMPTY},
	} {
		t.Run(name, func(t *testing.T) {
			tree := filepath.Join(t.TempDir(), "tree")
			require.NoError(t, os.Mkdir(tree, 0o700))
			deepen(t, tree, 3*maxOpen, func(int, int) {})
			visits := 0
			err := RemoveAll(hooked{t.Context(), func() error {
				if visits++; visits == 5 {
					return c.change(tree)
				}
				return nil
			}}, tree)
			require.ErrorIs(t, err, c.want)
			require.GreaterOrEqual(t, visits, 5)
			require.NoError(t, RemoveAll(t.Context(), tree))
			gone(t, tree)
		})
	}
}

// TestRemoveWide removes more deep directories than fit into a batch.
func TestRemoveWide(t *testing.T) {
	tree := filepath.Join(t.TempDir(), "tree")
	require.NoError(t, os.Mkdir(tree, 0o700))
	deepen(t, tree, maxOpen, func(n, fd int) {
		for i := range batchSize + 10 {
			if name := strconv.Itoa(i); n >= maxOpen-2 {
				require.NoError(t, unix.Mkdirat(fd, name, 0o700))
				require.NoError(t, unix.Mkdirat(fd, name+"/below", 0o700))
			}
		}
	})
	require.NoError(t, RemoveAll(t.Context(), tree))
	gone(t, tree)
}

// TestRemoveStops ends the context at several points of a removal.
func TestRemoveStops(t *testing.T) {
	tree := filepath.Join(t.TempDir(), "tree")
	require.NoError(t, os.Mkdir(tree, 0o700))
	const deep = 100
	deepen(t, tree, maxOpen-1, func(n, fd int) {
		for i := range deep {
			if name := strconv.Itoa(i); n == maxOpen-2 {
				require.NoError(t, unix.Mkdirat(fd, name, 0o700))
				require.NoError(t, unix.Mkdirat(fd, name+"/below", 0o700))
			}
		}
	})
	for _, limit := range []int{5, maxOpen + deep + 2} {
		visits := 0
		err := RemoveAll(hooked{t.Context(), func() error {
			if visits++; visits > limit {
				return context.Canceled
			}
			return nil
		}}, tree)
		require.ErrorIs(t, err, context.Canceled)
		require.Less(t, visits, limit+2*maxOpen)
	}
	require.NoError(t, RemoveAll(t.Context(), tree))
	gone(t, tree)
}

// TestRemoveRejects checks names that lead out of the directory, and files that are not there.
func TestRemoveRejects(t *testing.T) {
	tree := filepath.Join(t.TempDir(), "tree")
	require.NoError(t, os.Mkdir(tree, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(tree, "file"), nil, 0o600))
	dir, err := os.Open(tree)
	require.NoError(t, err)
	defer dir.Close()
	for _, name := range []string{"", ".", "..", "/", "../tree", "a/b"} {
		require.ErrorIs(t, RemoveIn(t.Context(), dir, name), unix.EINVAL, name)
	}
	require.ErrorIs(t, RemoveAll(t.Context(), tree+"/."), unix.EINVAL)
	require.ErrorIs(t, RemoveAll(t.Context(), filepath.Join(tree, "file", "x")), unix.ENOTDIR)
	require.NoError(t, RemoveAll(t.Context(), filepath.Join(tree, "missing", "x")))
	require.NoError(t, RemoveIn(t.Context(), dir, "missing"))
	require.FileExists(t, filepath.Join(tree, "file"))
}

func TestEmpty(t *testing.T) {
	top := t.TempDir()
	dir, other := filepath.Join(top, "dir"), filepath.Join(top, "other")
	for _, d := range []string{dir, other} {
		require.NoError(t, os.MkdirAll(filepath.Join(d, "a", "b"), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(d, "file"), nil, 0o600))
	}
	require.NoError(t, os.Symlink(other, filepath.Join(dir, "link")))
	require.NoError(t, Empty(context.Background(), dir))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
	require.NoError(t, os.Symlink(other, filepath.Join(top, "link")))
	require.Error(t, Empty(context.Background(), filepath.Join(top, "link")))
	require.FileExists(t, filepath.Join(other, "file"))
	require.Error(t, Empty(context.Background(), filepath.Join(top, "missing")))
}
