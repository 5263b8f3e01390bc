//go:build integration

package formats

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/job/failure"
)

// Hadoop and howdah verify each other's checksum files and detect damage.
func TestChecksumFilesBothWays(t *testing.T) {
	h := start(t)
	h.mu.Lock()
	defer h.mu.Unlock()
	ctx, dir := context.Background(), t.TempDir()
	c := conf.New()
	c.Set(conf.FileChecksums.Name, "write", "test")
	fs, err := local.WithChecksums(c)
	require.NoError(t, err)
	data := lines(500)
	ours, plain, theirs := filepath.Join(dir, "ours"), filepath.Join(dir, "plain"), filepath.Join(dir, "theirs")
	w, err := fs.Create(ctx, ours, dfs.CreateOptions{})
	require.NoError(t, err)
	_, err = w.Write(data)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, os.WriteFile(plain, data, 0o644))
	r, err := h.Shell("-put", plain, theirs)
	require.NoError(t, err)
	require.Zero(t, r.Code, string(r.Err))

	read := func() ([]byte, error) {
		f, err := fs.Open(ctx, theirs)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return io.ReadAll(f)
	}
	got, err := read()
	require.NoError(t, err)
	require.True(t, bytes.Equal(data, got))
	r, err = h.Shell("-cat", ours)
	require.NoError(t, err)
	require.Zero(t, r.Code, string(r.Err))
	require.True(t, bytes.Equal(data, r.Out))
	sides := [2][]byte{}
	for i, name := range []string{".ours.crc", ".theirs.crc"} {
		sides[i], err = os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
	}
	require.Equal(t, sides[1], sides[0], "the checksum files are the same")

	data[len(data)/2] ^= 1
	for _, name := range []string{ours, theirs} {
		require.NoError(t, os.WriteFile(name, data, 0o644))
	}
	_, err = read()
	require.ErrorIs(t, err, failure.Corrupt.Target())
	r, err = h.Shell("-cat", ours)
	require.NoError(t, err)
	require.NotZero(t, r.Code)
	require.Contains(t, string(r.Err), "Checksum error")
}
