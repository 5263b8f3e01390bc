package owned

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

const stranger = 54321

// refused checks that an error is of kind Permission.
func refused(t *testing.T, err error, what string) {
	t.Helper()
	require.True(t, failure.Is(err, failure.Permission), "%s: %v", what, err)
}

// give makes the stranger the owner of a file. Only root can.
func give(t *testing.T, name string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can change the owner of a file")
	}
	require.NoError(t, os.Lchown(name, stranger, stranger))
}

func TestOpen(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "dir")
	require.NoError(t, os.Mkdir(dir, 0o700))
	write := func(name string) string {
		require.NoError(t, os.WriteFile(name, []byte("text"), 0o600))
		return name
	}
	write(filepath.Join(dir, "plain"))
	require.NoError(t, os.Symlink(dir, filepath.Join(top, "link")))
	for _, d := range []string{dir, filepath.Join(top, "link")} {
		f, err := Open(d, "plain")
		require.NoError(t, err)
		b, err := io.ReadAll(f)
		require.NoError(t, err)
		require.Equal(t, "text", string(b))
		f.Close()
	}
	_, err := Open(dir, "missing")
	require.ErrorIs(t, err, fs.ErrNotExist)

	require.NoError(t, os.Symlink("plain", filepath.Join(dir, "symlink")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "directory"), 0o700))
	for _, name := range []string{"symlink", "pipe", "directory"} {
		_, err := Open(dir, name)
		refused(t, err, name)
	}
	require.NoError(t, os.Link(write(filepath.Join(top, "root's")), filepath.Join(dir, "hard link")))
	give(t, dir)
	_, err = Open(dir, "hard link")
	refused(t, err, "a hard link to a file of another user")
}

func TestCheckDir(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "dir")
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.NoError(t, CheckDir(dir))
	require.NoError(t, os.Symlink(dir, filepath.Join(top, "link")))
	refused(t, CheckDir(filepath.Join(top, "link")), "a link")
	require.NoError(t, os.WriteFile(filepath.Join(top, "file"), nil, 0o600))
	refused(t, CheckDir(filepath.Join(top, "file")), "a file")
	require.True(t, failure.Is(CheckDir(filepath.Join(top, "missing")), failure.NotFound))
	for _, mode := range []os.FileMode{0o775, 0o757, 0o777 | os.ModeSticky} {
		require.NoError(t, os.Chmod(dir, mode))
		refused(t, CheckDir(dir), mode.String())
	}
	require.NoError(t, os.Chmod(dir, 0o755))
	give(t, dir)
	refused(t, CheckDir(dir), "somebody's")
}
