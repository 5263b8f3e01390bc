package faultfs_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/dfstest"
	"github.com/howdah/howdah/dfs/faultfs"
	"github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/dfs/mem"
	"github.com/howdah/howdah/job/failure"
	"github.com/stretchr/testify/require"
)

func TestConformanceWithoutFaults(t *testing.T) {
	t.Run("mem", func(t *testing.T) {
		dfstest.Run(t, func(t *testing.T) (dfs.FileSystem, string) {
			fs := mem.New()
			require.NoError(t, fs.Mkdir(t.Context(), "/test"))
			return faultfs.New(fs, 1), "/test"
		})
	})
	t.Run("local", func(t *testing.T) {
		dfstest.Run(t, func(t *testing.T) (dfs.FileSystem, string) {
			fs, err := local.New(conf.New())
			require.NoError(t, err)
			return faultfs.New(fs, 1), t.TempDir()
		})
	})
}

func write(ctx context.Context, fs dfs.FileSystem, name, content string) error {
	w, err := fs.Create(ctx, name, dfs.CreateOptions{})
	if err != nil {
		return err
	}
	for i := 0; i < len(content); i += 4 {
		if _, err := io.WriteString(w, content[i:min(i+4, len(content))]); err != nil {
			w.Abort()
			return err
		}
	}
	return w.Close()
}

func read(ctx context.Context, fs dfs.FileSystem, name string) (string, error) {
	f, err := fs.Open(ctx, name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	return string(b), err
}

func TestFailsTheNthCall(t *testing.T) {
	fs := faultfs.New(mem.New(), 1, faultfs.Rule{Ops: faultfs.Create, Path: "part-", Skip: 1, Times: 1, Do: faultfs.Fail,
		Kind: failure.Permission})
	ctx := t.Context()
	require.NoError(t, write(ctx, fs, "/other", "x"))
	require.NoError(t, write(ctx, fs, "/part-0", "x"))
	require.Equal(t, failure.Permission, failure.KindOf(write(ctx, fs, "/part-1", "x")))
	require.NoError(t, write(ctx, fs, "/part-1", "x"))
	require.Equal(t, []string{"create /part-1: failed"}, fs.Struck())
}

func TestShortWriteLeavesNothingAfterAbort(t *testing.T) {
	inner := mem.New()
	fs := faultfs.New(inner, 1, faultfs.Rule{Ops: faultfs.Write, After: 6, Do: faultfs.Fail})
	ctx := t.Context()
	w, err := fs.Create(ctx, "/f", dfs.CreateOptions{})
	require.NoError(t, err)
	n, err := io.WriteString(w, "0123456789")
	require.Equal(t, 6, n)
	require.Equal(t, failure.IO, failure.KindOf(err))
	got, err := read(ctx, inner, "/f")
	require.NoError(t, err)
	require.Equal(t, "012345", got)
	w.Abort()
	there, err := dfs.Exists(ctx, inner, "/f")
	require.NoError(t, err)
	require.False(t, there)
}

func TestDiskFullOverAllFiles(t *testing.T) {
	fs := faultfs.New(mem.New(), 1, faultfs.Rule{Ops: faultfs.Write, After: 10, Total: true, Do: faultfs.Fail,
		Kind: failure.DiskFull})
	require.NoError(t, write(t.Context(), fs, "/a", "0123456"))
	require.Equal(t, failure.DiskFull, failure.KindOf(write(t.Context(), fs, "/b", "0123456")))
	require.Equal(t, failure.DiskFull, failure.KindOf(write(t.Context(), fs, "/c", "0")), "full stays full")
	fs.Heal()
	require.NoError(t, write(t.Context(), fs, "/b", "0123456"))
}

func TestReadFailsAtAByte(t *testing.T) {
	fs := faultfs.New(mem.New(), 1, faultfs.Rule{Ops: faultfs.Read, After: 3, Do: faultfs.Fail})
	require.NoError(t, write(t.Context(), fs, "/f", "012345"))
	got, err := read(t.Context(), fs, "/f")
	require.Equal(t, "012", got)
	require.Equal(t, failure.IO, failure.KindOf(err))
}

func TestCorruptsOneBit(t *testing.T) {
	const content = "aaaaaaaaaaaaaaaa"
	for _, op := range []faultfs.Op{faultfs.Read, faultfs.Write} {
		fs := faultfs.New(mem.New(), 7, faultfs.Rule{Ops: op, After: 9, Do: faultfs.Corrupt})
		require.NoError(t, write(t.Context(), fs, "/f", content))
		got, err := read(t.Context(), fs, "/f")
		require.NoError(t, err)
		require.Len(t, got, len(content))
		for i := range content {
			require.Equal(t, i != 9, got[i] == 'a', "%v at %d: %q", op, i, got)
		}
	}
}

func TestCloseLostOrFailed(t *testing.T) {
	for effect, there := range map[faultfs.Effect]bool{faultfs.Lost: true, faultfs.Fail: false} {
		inner := mem.New()
		fs := faultfs.New(inner, 1, faultfs.Rule{Ops: faultfs.Close, Do: effect})
		require.Error(t, write(t.Context(), fs, "/f", "x"))
		got, err := dfs.Exists(t.Context(), inner, "/f")
		require.NoError(t, err)
		require.Equal(t, there, got, effect)
	}
}

func TestSlowEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := faultfs.New(mem.New(), 1, faultfs.Rule{Ops: faultfs.Stat, Do: faultfs.Slow, Delay: time.Hour})
		start := time.Now()
		_, err := fs.Stat(t.Context(), "/")
		require.NoError(t, err)
		require.Equal(t, time.Hour, time.Since(start))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err = fs.Stat(ctx, "/")
		require.Equal(t, failure.Timeout, failure.KindOf(err))
		require.Equal(t, time.Hour+time.Minute, time.Since(start))
	})
}

func TestSameSeedSameFaults(t *testing.T) {
	run := func(seed uint64) string {
		fs := faultfs.New(mem.New(), seed, faultfs.Rule{Chance: 0.3, Do: faultfs.Fail})
		for i := range 50 {
			write(t.Context(), fs, fmt.Sprint("/", i), "some content")
		}
		return strings.Join(fs.Struck(), "\n")
	}
	require.Equal(t, run(1), run(1))
	require.NotEqual(t, run(1), run(2))
	require.NotEmpty(t, run(1))
}

func TestFaultsFollowSeek(t *testing.T) {
	fs := faultfs.New(mem.New(), 1, faultfs.Rule{Ops: faultfs.Read, After: 5, Do: faultfs.Fail})
	require.NoError(t, write(t.Context(), fs, "/f", "0123456789"))
	f, err := fs.Open(t.Context(), "/f")
	require.NoError(t, err)
	defer f.Close()
	b := make([]byte, 3)
	_, err = f.Seek(2, io.SeekStart)
	require.NoError(t, err)
	n, err := f.Read(b)
	require.NoError(t, err)
	require.Equal(t, "234", string(b[:n]))
	_, err = f.Seek(-10, io.SeekStart)
	require.Error(t, err)
	_, err = f.Read(b)
	require.Equal(t, failure.IO, failure.KindOf(err), "the position is at the fault still")
	_, err = f.Seek(0, io.SeekStart)
	require.NoError(t, err)
	_, err = f.Read(b)
	require.NoError(t, err)
}
