package disk

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMkdirAll(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, MkdirAll(OS, filepath.Join(dir, "a", "b", "c"), 0o700))
	require.NoError(t, MkdirAll(OS, filepath.Join(dir, "a", "b", "c"), 0o700))
	require.DirExists(t, filepath.Join(dir, "a/b/c"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "f"), nil, 0o600))
	require.Error(t, MkdirAll(OS, filepath.Join(dir, "f"), 0o700))
	require.Error(t, MkdirAll(OS, filepath.Join(dir, "f", "g"), 0o700))
}

// After a failure, the old file and nothing else is there.
func TestReplaceFails(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "target")
	require.NoError(t, os.Mkdir(name, 0o700)) // a file cannot replace a directory
	require.Error(t, Replace(OS, name, []byte("x"), 0o600))
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, list, 1)
}

// After a failure, Create leaves no file.
func TestCreateFails(t *testing.T) {
	dir := t.TempDir()
	require.Error(t, Create(syncless{OS}, filepath.Join(dir, "x"), []byte("x"), 0o600))
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, list)
}

type syncless struct{ FS }

func (syncless) SyncDir(string) error { return os.ErrPermission }

func TestHasHole(t *testing.T) {
	b := make([]byte, 3*Sector)
	for i := range b {
		b[i] = 1
	}
	require.False(t, HasHole(b, 100))
	clear(b[Sector-100 : 2*Sector-101])
	require.False(t, HasHole(b, 100), "one byte of the sector is set")
	b[2*Sector-101] = 0
	require.True(t, HasHole(b, 100))
}

// TestSwap checks that Swap replaces a link instead of what it names, and leaves no other file.
func TestSwap(t *testing.T) {
	dir := t.TempDir()
	other, file := filepath.Join(dir, "other"), filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(other, []byte("kept"), 0o600))
	require.NoError(t, os.Symlink(other, file))
	require.NoError(t, Swap(file, []byte("new"), 0o640))
	for name, want := range map[string]string{other: "kept", file: "new"} {
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, want, string(b))
	}
	info, err := os.Lstat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), info.Mode())
	require.NoError(t, os.Mkdir(filepath.Join(dir, "taken"), 0o700))
	require.Error(t, Swap(filepath.Join(dir, "taken"), nil, 0o600))
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 3)
}
