package replace

import (
	"context"
	"errors"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/faultfs"
	"github.com/howdah/howdah/dfs/mem"
	"github.com/howdah/howdah/job/failure"
)

type tree map[string]string

func write(fs dfs.FileSystem, root string, files tree) error {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := fs.Create(context.Background(), path.Join(root, name), dfs.CreateOptions{Overwrite: true})
		if err != nil {
			return err
		}
		if _, err := w.Write([]byte(files[name])); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
	}
	return nil
}

// put replaces the target with the given files on behalf of owner. It discards the remains of
// earlier calls.
func put(fs dfs.FileSystem, owner string, files tree) error {
	return Target{FS: fs, Path: "/d/out", Owner: owner}.With(context.Background(),
		func(ctx context.Context, to string) error {
			if err := fs.Delete(ctx, to, true); err != nil {
				return err
			}
			return write(fs, to, files)
		})
}

// read returns the files below a name, or nil if the name does not exist.
func read(t *testing.T, fs dfs.FileSystem, name string) tree {
	i, err := fs.Stat(t.Context(), name)
	if failure.Is(err, failure.NotFound) {
		return nil
	}
	require.NoError(t, err)
	out := tree{}
	var walk func(i dfs.Info)
	walk = func(i dfs.Info) {
		if !i.Dir {
			f, err := fs.Open(t.Context(), i.Path)
			require.NoError(t, err)
			b, err := io.ReadAll(f)
			require.NoError(t, err)
			require.NoError(t, f.Close())
			out[strings.TrimPrefix(strings.TrimPrefix(i.Path, name), "/")] = string(b)
			return
		}
		list, err := fs.List(t.Context(), i.Path)
		require.NoError(t, err)
		for _, x := range list {
			walk(x)
		}
	}
	walk(i)
	return out
}

var first, second = tree{"part-0": "a", "part-1": "b", "sub/x": "c"}, tree{"part-0": "z"}

// After a replacement the target contains only the new files.
func TestReplaces(t *testing.T) {
	fs := mem.New()
	for _, files := range []tree{first, second, first, {"": "a file"}, second} {
		require.NoError(t, put(fs, "me", files))
		require.Equal(t, files, read(t, fs, "/d/out"))
		require.Len(t, read(t, fs, "/d/.out.howdah"), 1, "one proof and nothing else")
	}
}

// An owner can replace only its own files.
func TestLeavesOthersAlone(t *testing.T) {
	for what, change := range map[string]func(fs dfs.FileSystem) error{
		"another owner's": func(fs dfs.FileSystem) error { return put(fs, "you", first) },
		"the user's":      func(fs dfs.FileSystem) error { return write(fs, "/d/out", first) },
		"a user's file":   func(fs dfs.FileSystem) error { return write(fs, "/d/out", tree{"": "x"}) },
		"with something added": func(fs dfs.FileSystem) error {
			return errorsOf(put(fs, "me", first), write(fs, "/d/out", tree{"notes": "x"}))
		},
		"with something changed": func(fs dfs.FileSystem) error {
			return errorsOf(put(fs, "me", first), write(fs, "/d/out", tree{"part-0": "A"}))
		},
		"with something removed": func(fs dfs.FileSystem) error {
			return errorsOf(put(fs, "me", first), fs.Delete(context.Background(), "/d/out/part-0", false))
		},
	} {
		fs := mem.New()
		require.NoError(t, change(fs), what)
		before := read(t, fs, "/d/out")
		err := put(fs, "me", second)
		require.True(t, failure.Is(err, failure.Exists), "%s: %v", what, err)
		require.Equal(t, before, read(t, fs, "/d/out"), what)
	}
	fs := mem.New()
	require.NoError(t, fs.Mkdir(t.Context(), "/d/out"))
	require.NoError(t, put(fs, "me", second), "an empty directory may be replaced")
	root := Target{FS: fs, Path: "/", Owner: "me"}
	require.True(t, failure.Is(root.With(t.Context(), nil), failure.Usage))
}

func errorsOf(list ...error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}

// A replacement does not overwrite files that appear while the new result is being created.
func TestWhatComesMeanwhile(t *testing.T) {
	fs := mem.New()
	err := Target{FS: fs, Path: "/d/out", Owner: "me"}.With(t.Context(), func(_ context.Context, to string) error {
		return errorsOf(write(fs, to, second), write(fs, "/d/out", first))
	})
	require.True(t, failure.Is(err, failure.Exists), err)
	require.Equal(t, first, read(t, fs, "/d/out"))
}

// After a crash or a lost reply at any call, either the old or the new result is complete, and the
// next call succeeds.
func TestACrashAtAnyMoment(t *testing.T) {
	for _, do := range []faultfs.Effect{faultfs.Fail, faultfs.Lost} {
		for _, times := range []int{0, 1} { // a crash fails all later calls, a fault only one
			for at := 0; ; at++ {
				inner := mem.New()
				require.NoError(t, put(inner, "me", first))
				fs := faultfs.New(inner, 1, faultfs.Rule{Skip: at, Times: times, Do: do, Kind: failure.Unreachable})
				err := put(fs, "me", second)
				if len(fs.Struck()) == 0 {
					require.NoError(t, err)
					require.Greater(t, at, 10)
					break
				}
				now, old := read(t, inner, "/d/out"), read(t, inner, "/d/.out.howdah/old")
				kept := maps.Equal(now, first) || maps.Equal(now, second) || now == nil && maps.Equal(old, first)
				require.True(t, kept, "%v %d: %v %v", do, at, now, old)
				broken := errors.New("disk full")
				require.ErrorIs(t, Target{FS: inner, Path: "/d/out", Owner: "me"}.With(t.Context(),
					func(context.Context, string) error { return broken }), broken)
				now = read(t, inner, "/d/out")
				require.True(t, maps.Equal(now, first) || maps.Equal(now, second), "%v %d: the next attempt lost the result: %v",
					do, at, now)
				require.NoError(t, put(inner, "me", second), "%v", fs.Struck())
				require.Equal(t, second, read(t, inner, "/d/out"))
				require.Len(t, read(t, inner, "/d/.out.howdah"), 1)
			}
		}
	}
}
