package node

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

var damages = map[string]func(b []byte) []byte{
	"flip":     func(b []byte) []byte { b[len(b)/2] ^= 4; return b },
	"cut":      func(b []byte) []byte { return b[:len(b)/2] },
	"emptied":  func([]byte) []byte { return nil },
	"doubled":  func(b []byte) []byte { return append(b, b...) },
	"replaced": func([]byte) []byte { return []byte("another version 9\n") },
}

func damaged(t *testing.T, file string, damage func([]byte) []byte) {
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, damage(b), 0o600))
}

// A damaged identity does not cost the data of its deployment. A directory without an identity is
// removed.
func TestDamagedIdentity(t *testing.T) {
	for name, damage := range damages {
		dir := t.TempDir()
		id := identity{"a-b", 12}
		l := layoutOf(dir, id)
		require.NoError(t, l.make(id))
		require.NoError(t, os.WriteFile(l.path("data"), []byte("x"), 0o600))
		damaged(t, l.path(identityFile), damage)
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "deployments", "a-13"), 0o700))
		require.NoError(t, os.MkdirAll(l.dir+".removed", 0o700))
		require.Equal(t, []identity{id}, leftovers(dir), name)
		require.FileExists(t, l.path("data"), name)
		require.NoDirExists(t, filepath.Join(dir, "deployments", "a-13"))
		require.NoDirExists(t, l.dir+".removed")
	}
}

// A damaged list of outside directories names no directory, which would be removed.
func TestDamagedOutside(t *testing.T) {
	for name, damage := range damages {
		l := layout{t.TempDir()}
		dirs, err := l.outside()
		require.NoError(t, err)
		require.Empty(t, dirs)
		require.NoError(t, l.keepOutside([]string{"file:/data/a", "file:/data/b"}))
		dirs, err = l.outside()
		require.NoError(t, err)
		require.Len(t, dirs, 2)
		damaged(t, l.path(outsideFile), damage)
		dirs, err = l.outside()
		require.True(t, failure.Is(err, failure.Corrupt), "%s: %v", name, err)
		require.ErrorContains(t, err, l.path(outsideFile))
		require.Empty(t, dirs)
	}
}
