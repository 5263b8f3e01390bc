package local_test

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
	"github.com/howdah/howdah/dfs/dfstest"
	"github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/job/failure"
)

func checksummed(t *testing.T, how string) dfs.FileSystem {
	c := conf.New()
	c.Set(conf.FileChecksums.Name, how, "test")
	fs, err := local.WithChecksums(c)
	require.NoError(t, err)
	return fs
}

func TestConformanceWithChecksums(t *testing.T) {
	for _, how := range []string{"verify", "write"} {
		t.Run(how, func(t *testing.T) {
			dfstest.Run(t, func(t *testing.T) (dfs.FileSystem, string) { return checksummed(t, how), t.TempDir() })
		})
	}
}

func put(t *testing.T, fs dfs.FileSystem, name string, b []byte) {
	w, err := fs.Create(context.Background(), name, dfs.CreateOptions{Overwrite: true})
	require.NoError(t, err)
	for len(b) > 0 {
		n := min(len(b), 700)
		_, err := w.Write(b[:n])
		require.NoError(t, err)
		b = b[n:]
	}
	require.NoError(t, w.Close())
}

func get(fs dfs.FileSystem, name string) ([]byte, error) {
	f, err := fs.Open(context.Background(), name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

func TestChecksumsAreWrittenAndVerified(t *testing.T) {
	ctx := context.Background()
	fs := checksummed(t, "write")
	for _, size := range []int{0, 1, 511, 512, 513, 1 << 20} {
		dir := t.TempDir()
		name, side := filepath.Join(dir, "f"), filepath.Join(dir, ".f.crc")
		data := bytes.Repeat([]byte("checksum"), size/8+1)[:size]
		put(t, fs, name, data)
		sums, err := os.ReadFile(side)
		require.NoError(t, err)
		require.Len(t, sums, 8+4*((size+511)/512))
		got, err := get(fs, name)
		require.NoError(t, err)
		require.True(t, bytes.Equal(data, got))
		all, err := fs.List(ctx, dir)
		require.NoError(t, err)
		require.Len(t, all, 1, "lists do not show them")
		if size == 0 {
			continue
		}

		bad := bytes.Clone(data)
		bad[size/2] ^= 1
		require.NoError(t, os.WriteFile(name, bad, 0o644))
		_, err = get(fs, name)
		require.ErrorIs(t, err, failure.Corrupt.Target())
		require.ErrorContains(t, err, name+" at byte ")
		f, err := fs.Open(ctx, name)
		require.NoError(t, err)
		var one [1]byte
		_, err = f.ReadAt(one[:], int64(size/2))
		require.ErrorIs(t, err, failure.Corrupt.Target())
		require.NoError(t, f.Close())
		require.NoError(t, os.WriteFile(name, data[:size-1], 0o644))
		_, err = get(fs, name)
		require.ErrorIs(t, err, failure.Corrupt.Target(), "a file that lost its end")

		put(t, fs, name, data)
		require.NoError(t, fs.Rename(ctx, name, name+"2"))
		require.NoFileExists(t, side)
		require.FileExists(t, filepath.Join(dir, ".f2.crc"))
		put(t, checksummed(t, "verify"), name+"2", []byte("new"))
		require.NoFileExists(t, filepath.Join(dir, ".f2.crc"), "old checksums do not outlive their file")
		put(t, fs, name, data)
		require.NoError(t, fs.Delete(ctx, name, false))
		require.NoFileExists(t, side)
	}
	dir := t.TempDir()
	own := filepath.Join(dir, ".f.crc")
	require.NoError(t, os.WriteFile(own, []byte("the user's"), 0o644))
	put(t, checksummed(t, "verify"), filepath.Join(dir, "f"), []byte("x"))
	require.NoError(t, checksummed(t, "verify").Delete(ctx, filepath.Join(dir, "f"), false))
	require.FileExists(t, own, "what is no checksum file is left alone")
	c := conf.New()
	c.Set(conf.FileChecksums.Name, "some", "test")
	_, err := local.WithChecksums(c)
	require.ErrorIs(t, err, failure.Config.Target())
}
