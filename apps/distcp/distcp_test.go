package distcp

import (
	"context"
	"io"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/faultfs"
	"github.com/howdah/howdah/dfs/mem"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/local"
)

// cluster is two file systems and a runner. Paths that begin with "far:/" are on the file system far,
// and all others on near.
type cluster struct {
	t    *testing.T
	conf *conf.Config
	near dfs.FileSystem
	far  dfs.FileSystem
}

func newCluster(t *testing.T) *cluster {
	c := &cluster{t: t, conf: conf.New(), near: mem.New(), far: other{mem.New()}}
	c.conf.Set("hadoop.tmp.dir", t.TempDir(), "test")
	c.conf.Set("mapreduce.map.maxattempts", "1", "test")
	return c
}

func (c *cluster) Conf() *conf.Config { return c.conf }
func (c *cluster) Stdout() io.Writer  { return io.Discard }

// other wraps a file system under another name.
type other struct{ dfs.FileSystem }

func (other) Scheme() string { return "far" }
func (other) URI() string    { return "far:" }

func (c *cluster) FS() dfs.Resolver { return c }

func (c *cluster) Resolve(name string) (dfs.FileSystem, string, error) {
	p, err := dfs.ParsePath(name)
	if p.Scheme == "far" {
		return c.far, p.Path, err
	}
	return c.near, p.Path, err
}

// Run runs the job with the file systems of the cluster.
func (c *cluster) Run(ctx context.Context, j *mapreduce.Job, cfg *conf.Config) (*mapreduce.Result, error) {
	return local.Run(ctx, local.Options{FS: c}, j, cfg)
}

func (c *cluster) copy(args ...string) error {
	return App().Run(c.t.Context(), c, args)
}

func (c *cluster) store(name, text string) {
	fs, p, err := c.Resolve(name)
	require.NoError(c.t, err)
	w, err := fs.Create(c.t.Context(), p, dfs.CreateOptions{Overwrite: true})
	require.NoError(c.t, err)
	_, err = w.Write([]byte(text))
	require.NoError(c.t, err)
	require.NoError(c.t, w.Close())
}

// tree lists all files and directories below a directory. A file is "path=content", and a directory
// has a trailing slash.
func (c *cluster) tree(name string) (out []string) {
	fs, p, err := c.Resolve(name)
	require.NoError(c.t, err)
	var walk func(dir, shown string)
	walk = func(dir, shown string) {
		entries, err := fs.List(c.t.Context(), dir)
		require.NoError(c.t, err)
		for _, e := range entries {
			switch {
			case e.Dir:
				out = append(out, shown+e.Name()+"/")
				walk(e.Path, shown+e.Name()+"/")
			default:
				f, err := fs.Open(c.t.Context(), e.Path)
				require.NoError(c.t, err)
				b := make([]byte, f.Size())
				_, err = f.ReadAt(b, 0)
				if len(b) > 0 {
					require.NoError(c.t, err)
				}
				out = append(out, shown+e.Name()+"="+string(b))
			}
		}
	}
	walk(p, "")
	return out
}

func (c *cluster) fill() {
	c.store("/src/a", "aaa")
	c.store("/src/d/b", strings.Repeat("b", 3000))
	c.store("/src/d/empty", "")
	require.NoError(c.t, c.near.Mkdir(c.t.Context(), "/src/hollow"))
}

func whole() []string {
	return []string{"a=aaa", "d/", "d/b=" + strings.Repeat("b", 3000), "d/empty=", "hollow/"}
}

func TestTreeToAnotherFileSystem(t *testing.T) {
	c := newCluster(t)
	c.fill()
	require.NoError(t, c.copy("-m", "2", "/src", "far:/to"))
	require.Equal(t, whole(), c.tree("far:/to"))
	require.Equal(t, append([]string{"to/"}, prefixed("to/", whole())...), c.tree("far:/"), "nothing else stays")

	require.NoError(t, c.copy("/src", "far:/to")) // the target exists now
	require.Contains(t, c.tree("far:/to"), "src/")
	require.NoError(t, c.copy("/src/a", "/src/d/b", "far:/some"))
	require.Equal(t, []string{"a=aaa", "b=" + strings.Repeat("b", 3000)}, c.tree("far:/some"))
	require.NoError(t, c.copy("/src/d/*", "far:/globbed"))
	require.Len(t, c.tree("far:/globbed"), 2)
	require.NoError(t, c.copy("/src/a", "far:/file"))
	require.Contains(t, c.tree("far:/"), "file=aaa")
}

func prefixed(p string, all []string) (out []string) {
	for _, s := range all {
		out = append(out, p+s)
	}
	return out
}

func TestUpdateOverwriteDelete(t *testing.T) {
	c := newCluster(t)
	c.fill()
	c.store("/to/a", "older")
	c.store("/to/d/b", "xxx")
	c.store("/to/d/extra", "extra")
	c.store("/to/other/f", "extra")
	require.NoError(t, c.copy("-update", "/src", "/to"))
	require.Equal(t, []string{"a=aaa", "d/", "d/b=" + strings.Repeat("b", 3000), "d/empty=", "d/extra=extra", "hollow/",
		"other/", "other/f=extra"}, c.tree("/to"))

	c.store("/to/a", "bbb") // same length, different content
	require.NoError(t, c.copy("-update", "-skipcrccheck", "/src", "/to"))
	require.Contains(t, c.tree("/to"), "a=bbb")
	require.NoError(t, c.copy("-overwrite", "/src", "/to"))
	require.Contains(t, c.tree("/to"), "a=aaa")
	require.NoError(t, c.copy("-update", "-delete", "/src", "/to"))
	require.Equal(t, whole(), c.tree("/to"))

	c.store("/to/a", "kept")
	require.NoError(t, c.copy("/src/a", "/to")) // without an option, distcp keeps existing files
	require.Contains(t, c.tree("/to"), "a=kept")
}

// summed is a file system that stores checksums and records which files are read.
type summed struct {
	dfs.FileSystem
	opened *[]string
}

func (s summed) Open(ctx context.Context, name string) (dfs.File, error) {
	*s.opened = append(*s.opened, name)
	return s.FileSystem.Open(ctx, name)
}

func (s summed) Checksum(ctx context.Context, name string) (dfs.Checksum, error) {
	f, err := s.FileSystem.Open(ctx, name)
	if err != nil {
		return dfs.Checksum{}, err
	}
	b, err := io.ReadAll(f)
	return dfs.Checksum{Algorithm: "whole", Bytes: b}, err
}

// TestChecksumsOfStorageAreUsed checks that, if the file system stores checksums, distcp verifies
// copies without reading them, and -update keeps equal files.
func TestChecksumsOfStorageAreUsed(t *testing.T) {
	c := newCluster(t)
	c.fill()
	var opened, far []string
	c.near, c.far = summed{c.near, &opened}, summed{other{mem.New()}, &far}
	require.NoError(t, c.copy("/src", "far:/to"))
	for _, name := range far {
		require.Equal(t, "listing", path.Base(name), "copies are proved by their checksums")
	}
	require.Equal(t, whole(), c.tree("far:/to"))
	opened = nil
	require.NoError(t, c.copy("-update", "/src", "far:/to"))
	require.Empty(t, opened, "all is there")
	c.store("far:/to/a", "bbb")
	require.NoError(t, c.copy("-update", "/src", "far:/to"))
	require.Equal(t, whole(), c.tree("far:/to"))
}

func TestAttributesAreKept(t *testing.T) {
	c := newCluster(t)
	c.fill()
	mode, when := uint32(0o640), time.UnixMilli(1234567890123)
	require.NoError(t, c.near.SetMeta(t.Context(), "/src/d/b", dfs.Meta{Mode: &mode, ModTime: &when}))
	dirMode := uint32(0o700)
	require.NoError(t, c.near.SetMeta(t.Context(), "/src/d", dfs.Meta{Mode: &dirMode, ModTime: &when}))
	require.NoError(t, c.copy("-ppt", "/src", "far:/to"))
	i, err := c.far.Stat(t.Context(), "/to/d/b")
	require.NoError(t, err)
	require.Equal(t, mode, i.Mode)
	require.True(t, when.Equal(i.ModTime))
	i, err = c.far.Stat(t.Context(), "/to/d")
	require.NoError(t, err)
	require.Equal(t, dirMode, i.Mode)
	require.True(t, when.Equal(i.ModTime))
}

// TestNothingHalfIsPublished checks that a copy does not appear if it cannot be completed or
// verified. With -i, distcp copies the other files.
func TestNothingHalfIsPublished(t *testing.T) {
	for name, rule := range map[string]faultfs.Rule{
		"disk full":   {Ops: faultfs.Write, After: 1000, Do: faultfs.Fail, Kind: failure.DiskFull},
		"close":       {Ops: faultfs.Close, Do: faultfs.Fail},
		"damaged":     {Ops: faultfs.Read, Do: faultfs.Corrupt},
		"not renamed": {Ops: faultfs.Rename, Do: faultfs.Fail},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t)
			c.fill()
			rule.Path = "files"
			c.far = other{faultfs.New(mem.New(), 1, rule)}
			require.Error(t, c.copy("/src", "far:/to"))
			for _, f := range c.tree("far:/") {
				require.True(t, strings.HasSuffix(f, "/") || strings.HasSuffix(f, "/a=aaa") || strings.HasSuffix(f, "empty="), f)
			}
		})
	}
	c := newCluster(t)
	c.fill()
	require.NoError(t, c.near.Delete(t.Context(), "/src/a", false))
	c.store("/src/a", "aaa")
	c.store("/to/a/inside", "a directory where a file should be")
	require.Error(t, c.copy("-update", "/src", "/to"))
	require.NoError(t, c.copy("-i", "-update", "/src", "/to"))
	require.Contains(t, c.tree("/to"), "d/b="+strings.Repeat("b", 3000))
}

func TestRefused(t *testing.T) {
	c := newCluster(t)
	c.fill()
	for _, args := range [][]string{{}, {"/src"}, {"-update", "-overwrite", "/src", "/to"}, {"-delete", "/src", "/to"},
		{"-m", "0", "/src", "/to"},
		{"-px", "/src", "/to"}, {"-what", "/src", "/to"}, {"-m"}, {"-bandwidth", "0", "/src", "/to"},
		{"-skipcrccheck", "/src", "/to"}} {
		require.Equal(t, failure.Usage, failure.KindOf(c.copy(args...)), args)
	}
	require.Equal(t, failure.NotFound, failure.KindOf(c.copy("/nosuch", "/to")))
	require.Equal(t, failure.NotFound, failure.KindOf(c.copy("/nosuch*", "/to")))
	require.Equal(t, failure.Usage, failure.KindOf(c.copy("/src", "/src/inside")))
	c.store("/two/a", "another")
	require.Equal(t, failure.Usage, failure.KindOf(c.copy("/src/a", "/two/a", "/to")), "one would hide the other")
	require.Equal(t, failure.Usage, failure.KindOf(c.copy("/src/a", "/src/d", "/two/a")), "two into a file")
}

func TestListingIsSharedOutBySize(t *testing.T) {
	lines := ""
	for _, n := range []string{"10", "10", "80", "1", "1", "98"} {
		lines += `{"s":"x","t":"y","n":` + n + "}\n"
	}
	got, err := cut(strings.NewReader(lines), 200, 2)
	require.NoError(t, err)
	require.Len(t, got, 2)
	require.EqualValues(t, 100, got[0].bytes)
	require.Equal(t, got[0].end, got[1].start)
	require.EqualValues(t, len(lines), got[1].end)
	got, err = cut(strings.NewReader(lines), 200, 100)
	require.NoError(t, err)
	require.Len(t, got, 5)
	_, err = cut(strings.NewReader("no json\n"), 1, 1)
	require.Error(t, err)
}
