package procfs

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	_, err := ReadFile(name, make([]byte, 8))
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, name)
	for _, text := range []string{"", "short", "8 bytes.", "longer than the buffer"} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		got, err := ReadFile(name, make([]byte, 8))
		require.NoError(t, err)
		require.Equal(t, text, string(got))
	}
	_, err = ReadFile(t.TempDir(), make([]byte, 8))
	require.Error(t, err)
}
