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

// Hadoop starts, and runs a job on YARN and another with the local runner.
func TestHadoopRuns(t *testing.T) {
	t.Parallel()
	if err := Available(); err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 8*time.Minute)
	defer cancel()
	dir := t.TempDir()
	input := filepath.Join(dir, "in.txt")
	require.NoError(t, os.WriteFile(input, []byte("b a b\na b\n"), 0o644))

	_, err := RunLocal(ctx, filepath.Join(dir, "local"), "wordcount", input, filepath.Join(dir, "out"))
	require.NoError(t, err)
	got, err := os.ReadFile(filepath.Join(dir, "out", "part-r-00000"))
	require.NoError(t, err)
	require.Equal(t, "a\t2\nb\t3\n", string(got))

	c, err := Start(ctx, filepath.Join(dir, "cluster"), Options{YARN: true})
	require.NoError(t, err)
	defer c.Stop()
	_, err = c.Run(ctx, Shell, "-put", input, "/in.txt")
	require.NoError(t, err)
	_, err = c.Run(ctx, Examples, "wordcount", "/in.txt", "/out")
	require.NoError(t, err)
	got, err = c.Run(ctx, Shell, "-cat", "/out/part-r-00000")
	require.NoError(t, err)
	require.Equal(t, "a\t2\nb\t3\n", string(got))
}
