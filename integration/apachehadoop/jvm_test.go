//go:build integration

package apachehadoop

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// One Java process runs shell commands and programs that call System.exit.
func TestJVM(t *testing.T) {
	for _, err := range []error{Available(), CompilerAvailable()} {
		if err != nil {
			t.Skip(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	dir := t.TempDir()
	j, err := LocalJVM(ctx, dir)
	require.NoError(t, err)
	defer j.Close()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "f"), []byte("b a\n"), 0o644))
	r, err := j.Shell("-cat", filepath.Join(dir, "f"))
	require.NoError(t, err)
	require.Equal(t, Result{Out: []byte("b a\n"), Err: []byte{}}, r)
	r, err = j.Shell("-cat", filepath.Join(dir, "g"))
	require.NoError(t, err)
	require.Equal(t, "cat: `"+filepath.Join(dir, "g")+"': No such file or directory\n", string(r.Err))
	require.Equal(t, 1, r.Code)
	r, err = j.Run([]byte("from stdin"), Shell, "-put", "-", filepath.Join(dir, "h"))
	require.NoError(t, err)
	require.Zero(t, r.Code, string(r.Err))

	r, err = j.Run(nil, Examples, "wordcount", filepath.Join(dir, "f"), filepath.Join(dir, "out"))
	require.NoError(t, err)
	require.Zero(t, r.Code, string(r.Err))
	got, err := os.ReadFile(filepath.Join(dir, "out", "part-r-00000"))
	require.NoError(t, err)
	require.Equal(t, "a\t1\nb\t1\n", string(got))
	r, err = j.Run(nil, Examples, "wordcount", filepath.Join(dir, "f"))
	require.NoError(t, err)
	require.Equal(t, 2, r.Code)
}
