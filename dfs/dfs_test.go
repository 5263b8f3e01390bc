package dfs_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/dfs/mem"
	"github.com/howdah/howdah/job/failure"
	"github.com/stretchr/testify/require"
)

func set(t *testing.T, settings ...string) *dfs.Set {
	t.Helper()
	s, err := newSet(settings...)
	require.NoError(t, err)
	return s
}

func newSet(settings ...string) (*dfs.Set, error) {
	c := conf.New()
	for _, kv := range settings {
		k, v, _ := strings.Cut(kv, "=")
		c.Set(k, v, "-D")
	}
	return dfs.NewSet(c, map[string]dfs.Constructor{
		"file": local.Constructor(c),
		"mem":  func(string) (dfs.FileSystem, error) { return mem.New(), nil },
	})
}

func TestResolve(t *testing.T) {
	wd, err := os.Getwd()
	require.NoError(t, err)
	cases := []struct{ conf, in, want string }{
		{"", "/a/b", "file:/a/b"},
		{"", "a", "file:" + filepath.Join(wd, "a")},
		{"", "file:/a/../b", "file:/b"},
		{"", "file:///a", "file:/a"},
		{"", "mem:/x", "mem:/x"},
		{"fs.default.name=mem:///", "/a", "mem:/a"},
		{"fs.default.name=mem:///", "file:/a", "file:/a"},
		{"fs.defaultFS=local", "/a", "file:/a"},
		{"mapred.working.dir=/work", "a*", "file:/work/a*"},
		{"mapred.working.dir=mem:/work", "a", "mem:/work/a"},
	}
	for _, c := range cases {
		fs, p, err := set(t, c.conf).Resolve(c.in)
		require.NoError(t, err, c.in)
		require.Equal(t, c.want, dfs.Qualify(fs, p), "%s with %s", c.in, c.conf)
	}
	fs, p, err := set(t, "fs.defaultFS=mem:/").Resolve("rel")
	require.NoError(t, err)
	require.Regexp(t, "^mem:/user/.+/rel$", dfs.Qualify(fs, p))
}

func TestResolveRefuses(t *testing.T) {
	for _, in := range []string{"", "hdfs://nn/x", "s3a:/x", "a:b", "file://host/x", "file:rel", "FILE:/x"} {
		_, _, err := set(t).Resolve(in)
		require.Equal(t, failure.Usage, failure.KindOf(err), "%q: %v", in, err)
	}
	_, _, err := set(t).Resolve("hdfs://nn/x")
	require.ErrorContains(t, err, "known schemes: file, mem")
	for _, bad := range []string{"fs.defaultFS=host:9000", "fs.defaultFS=/x", "mapred.working.dir=rel"} {
		_, err := newSet(bad)
		require.Equal(t, failure.Config, failure.KindOf(err), "%q: %v", bad, err)
	}
}

func TestResolveKeepsFileSystems(t *testing.T) {
	s := set(t)
	a, _, err := s.Resolve("mem:/x")
	require.NoError(t, err)
	b, _, err := s.Resolve("mem:///y")
	require.NoError(t, err)
	require.Same(t, a, b)
}

func TestCounting(t *testing.T) {
	r := dfs.NewCountingResolver(set(t))
	fs, _, err := r.Resolve("mem:/")
	require.NoError(t, err)
	ctx := t.Context()
	w, err := fs.Create(ctx, "/d/f", dfs.CreateOptions{})
	require.NoError(t, err)
	io.WriteString(w, "0123456789")
	require.NoError(t, w.Close())
	f, err := fs.Open(ctx, "/d/f")
	require.NoError(t, err)
	io.ReadAll(f)
	f.ReadAt(make([]byte, 4), 8)
	fs.Stat(ctx, "/")
	fs.List(ctx, "/")
	fs.Mkdir(ctx, "/e")
	fs.Rename(ctx, "/d", "/e/d")
	fs.SetMeta(ctx, "/e", dfs.Meta{})
	fs.Delete(ctx, "/e", true)
	o := r.Ops("mem")
	require.EqualValues(t, 10, o.BytesWritten.Load())
	require.EqualValues(t, 12, o.BytesRead.Load())
	require.EqualValues(t, 3, o.ReadOps.Load())
	require.EqualValues(t, 5, o.WriteOps.Load())
	require.Zero(t, o.LargeReadOps.Load())
	require.Zero(t, r.Ops("file").BytesRead.Load())
	_, _, err = r.Resolve("nothing:/")
	require.Error(t, err)
}

func TestGlobOfTheRoot(t *testing.T) {
	fs := mem.New()
	for _, p := range []string{"/", "/.", "//"} {
		l, err := dfs.Glob(t.Context(), fs, p)
		require.NoError(t, err)
		require.Len(t, l, 1)
		require.Equal(t, "/", l[0].Path)
	}
	_, err := dfs.Glob(t.Context(), fs, "/"+strings.Repeat("{a,b}", 20))
	require.Equal(t, failure.Usage, failure.KindOf(err))
	_, err = dfs.Glob(t.Context(), fs, "/"+strings.Repeat("{", 20000))
	require.Equal(t, failure.Usage, failure.KindOf(err))
}

func FuzzParsePath(f *testing.F) {
	for _, s := range []string{"/a", "file:/a", "hdfs://h:1/a?b", "a:b", "", "x://", "s://%zz/a", "a/b:c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := dfs.ParsePath(s)
		if err != nil {
			require.Equal(t, failure.Usage, failure.KindOf(err))
			return
		}
		require.NotEmpty(t, p.Path)
	})
}
