package dfs_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/dfstest"
	"github.com/howdah/howdah/dfs/faultfs"
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
		{"mapred.working.dir=/home/u", "a*", "file:/home/u/a*"},
		{"mapred.working.dir=mem:/home/u", "a", "mem:/home/u/a"},
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

func TestParsePath(t *testing.T) {
	for in, want := range map[string]dfs.Path{
		"/a/b/../c":               {Path: "/a/c"},
		"rel/x:y":                 {Path: "rel/x:y"},
		"hdfs://nn:9820/in":       {Scheme: "hdfs", Authority: "nn:9820", Path: "/in"},
		"hdfs://nn":               {Scheme: "hdfs", Authority: "nn", Path: "/"},
		"az09:/x":                 {Scheme: "az09", Path: "/x"},
		"file:///tmp/%41":         {Scheme: "file", Path: "/tmp/%41"},
		"mem:":                    {Scheme: "mem", Path: "/"},
		"hdfs://cluster%2Da/x//y": {Scheme: "hdfs", Authority: "cluster-a", Path: "/x/y"},
	} {
		p, err := dfs.ParsePath(in)
		require.NoError(t, err, in)
		require.Equal(t, want, p, in)
	}
	p, err := dfs.ParsePath("hdfs://nn:9820/in")
	require.NoError(t, err)
	require.Equal(t, "hdfs://nn:9820/in/a/b", p.Join("a", "b").String())
	require.Equal(t, "file:/x", dfs.Path{Scheme: "file", Path: "/x"}.String())
	require.Equal(t, "x", dfs.Path{Path: "x"}.String())
}

func TestMatch(t *testing.T) {
	for pattern, names := range map[string][2]string{"*.{txt,log}": {"a.log", "a.md"}, "a": {"a", "b"}} {
		ok, err := dfs.Match(pattern, names[0])
		require.NoError(t, err)
		require.True(t, ok, pattern)
		ok, err = dfs.Match(pattern, names[1])
		require.NoError(t, err)
		require.False(t, ok, pattern)
	}
	for _, bad := range []string{"{a", "[a", `a\`} {
		_, err := dfs.Match(bad, "a")
		require.Equal(t, failure.Usage, failure.KindOf(err))
	}
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

// TestCountingConforms runs the suite on the result of Counting. The suite also tests Glob and
// RenameOnce.
func TestCountingConforms(t *testing.T) {
	dfstest.Run(t, func(t *testing.T) (dfs.FileSystem, string) {
		fs := dfs.Counting(mem.New(), &dfs.Ops{})
		require.NoError(t, fs.Mkdir(t.Context(), "/test"))
		return fs, "/test"
	})
}

func store(t *testing.T, fs dfs.FileSystem, name, content string) {
	t.Helper()
	w, err := fs.Create(t.Context(), name, dfs.CreateOptions{})
	require.NoError(t, err)
	io.WriteString(w, content)
	require.NoError(t, w.Close())
}

func TestGlobReportsWhatItCannotRead(t *testing.T) {
	inner := mem.New()
	store(t, inner, "/d/f", "x")
	for pattern, op := range map[string]faultfs.Op{
		"/d": faultfs.Stat, "/d/*": faultfs.List, "/*/f": faultfs.List, "/{d,x}/f": faultfs.Stat,
	} {
		fs := faultfs.New(inner, 1, faultfs.Rule{Ops: op, Do: faultfs.Fail, Kind: failure.Permission})
		_, err := dfs.Glob(t.Context(), fs, pattern)
		require.Equal(t, failure.Permission, failure.KindOf(err), pattern)
	}
}

func TestGlobListsADirectoryOnce(t *testing.T) {
	inner := mem.New()
	store(t, inner, "/d/a", "x")
	var ops dfs.Ops
	l, err := dfs.Glob(t.Context(), dfs.Counting(inner, &ops), "/d/{a*,b*,c*}")
	require.NoError(t, err)
	require.Len(t, l, 1)
	require.EqualValues(t, 1, ops.ReadOps.Load())
}

// TestRenameOnceUnderFaults checks that a rename happens exactly once even if its answer is lost,
// because RenameOnce checks the result.
func TestRenameOnceUnderFaults(t *testing.T) {
	cases := map[string]struct {
		rules []faultfs.Rule
		kind  failure.Kind // Unknown means success
		moved bool
	}{
		"lost answer": {[]faultfs.Rule{{Ops: faultfs.Rename, Do: faultfs.Lost}}, failure.Unknown, true},
		"lost, unreachable": {[]faultfs.Rule{{Ops: faultfs.Rename, Do: faultfs.Lost, Kind: failure.Unreachable}},
			failure.Unknown, true},
		"fails once":     {[]faultfs.Rule{{Ops: faultfs.Rename, Do: faultfs.Fail, Times: 1}}, failure.Unknown, true},
		"fails for ever": {[]faultfs.Rule{{Ops: faultfs.Rename, Do: faultfs.Fail}}, failure.IO, false},
		"not allowed": {[]faultfs.Rule{{Ops: faultfs.Rename, Do: faultfs.Fail, Kind: failure.Permission, Times: 1}},
			failure.Permission, false},
		"lost and blind": {[]faultfs.Rule{{Ops: faultfs.Rename, Do: faultfs.Lost},
			{Ops: faultfs.Stat, Do: faultfs.Fail, Kind: failure.Unreachable}},
			failure.Unreachable, true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			inner := mem.New()
			store(t, inner, "/f", "content")
			err := dfs.RenameOnce(t.Context(), faultfs.New(inner, 1, c.rules...), "/f", "/g")
			require.Equal(t, c.kind, failure.KindOf(err), "%v", err)
			there := "/f"
			if c.moved {
				there = "/g"
			}
			f, err := inner.Open(t.Context(), there)
			require.NoError(t, err)
			require.EqualValues(t, len("content"), f.Size())
			l, err := inner.List(t.Context(), "/")
			require.NoError(t, err)
			require.Len(t, l, 1)
		})
	}
}
