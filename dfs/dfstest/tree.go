package dfstest

import (
	"reflect"
	"slices"
	"time"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
	"github.com/stretchr/testify/require"
)

func (s *suite) stat() {
	before := time.Now().Add(-time.Minute)
	s.write("d/f", "12345")
	i, err := s.fs.Stat(s.ctx, s.path("d/f"))
	s.ok(err)
	require.Equal(s.t, s.path("d/f"), i.Path)
	require.Equal(s.t, "f", i.Name())
	require.EqualValues(s.t, 5, i.Size)
	require.False(s.t, i.Dir)
	require.True(s.t, i.ModTime.After(before), i.ModTime)
	require.NotEmpty(s.t, i.Owner)
	require.NotEmpty(s.t, i.Group)
	require.Positive(s.t, i.BlockSize)
	require.Positive(s.t, i.Replication)
	require.NotZero(s.t, i.Mode)
	i, err = s.fs.Stat(s.ctx, s.path("d"))
	s.ok(err)
	require.True(s.t, i.Dir)
	require.Zero(s.t, i.Size)
	i, err = s.fs.Stat(s.ctx, "/")
	s.ok(err)
	require.True(s.t, i.Dir)
	require.Equal(s.t, "/", i.Path)
	for _, name := range []string{"none", "d/none", "none/f", "d/f/below"} {
		_, err = s.fs.Stat(s.ctx, s.path(name))
		s.kind(failure.NotFound, err)
	}
}

func (s *suite) list() {
	require.Empty(s.t, s.names(""))
	for _, name := range []string{"b", "a/y", "a/x", "B", "10", "9", "é"} {
		s.write(name, name)
	}
	require.Equal(s.t, []string{"10", "9", "B", "a", "b", "é"}, s.names(""))
	require.Equal(s.t, []string{"a/x", "a/y"}, s.names("a"))
	l, err := s.fs.List(s.ctx, s.path("b"))
	s.ok(err)
	i, err := s.fs.Stat(s.ctx, s.path("b"))
	s.ok(err)
	i.AccessTime = l[0].AccessTime
	require.Equal(s.t, []dfs.Info{i}, l)
	_, err = s.fs.List(s.ctx, s.path("none"))
	s.kind(failure.NotFound, err)
}

func (s *suite) mkdir() {
	s.ok(s.fs.Mkdir(s.ctx, s.path("a/b/c")))
	s.ok(s.fs.Mkdir(s.ctx, s.path("a/b/c")))
	require.Equal(s.t, []string{"a/b"}, s.names("a"))
	s.write("f", "x")
	s.kind(failure.Exists, s.fs.Mkdir(s.ctx, s.path("f")))
	s.kind(failure.Exists, s.fs.Mkdir(s.ctx, s.path("f/below")))
}

func (s *suite) rename() {
	s.write("f", "content")
	s.ok(s.fs.Rename(s.ctx, s.path("f"), s.path("g")))
	require.Equal(s.t, "content", s.read("g"))
	require.False(s.t, s.exists("f"))
	s.write("d/e/f", "deep")
	s.ok(s.fs.Rename(s.ctx, s.path("d"), s.path("d2")))
	require.Equal(s.t, "deep", s.read("d2/e/f"))
	require.False(s.t, s.exists("d"))

	s.kind(failure.NotFound, s.fs.Rename(s.ctx, s.path("none"), s.path("x")))
	s.kind(failure.NotFound, s.fs.Rename(s.ctx, s.path("none"), s.path("g")))
	s.kind(failure.NotFound, s.fs.Rename(s.ctx, s.path("g"), s.path("no/parent")))
	s.kind(failure.Exists, s.fs.Rename(s.ctx, s.path("d2"), s.path("g/below")))
	s.kind(failure.Usage, s.fs.Rename(s.ctx, s.path("d2"), s.path("d2/e/inside")))
	require.Equal(s.t, []string{"d2", "g"}, s.names(""))
}

func (s *suite) renameNeverReplaces() {
	s.write("f", "f")
	s.write("g", "g")
	s.write("full/x", "x")
	s.ok(s.fs.Mkdir(s.ctx, s.path("empty")))
	s.ok(s.fs.Mkdir(s.ctx, s.path("empty2")))
	for _, c := range [][2]string{{"f", "g"}, {"f", "f"}, {"f", "empty"}, {"f", "full"}, {"empty", "f"},
		{"empty", "empty2"}, {"empty", "full"}, {"full", "empty"}, {"full", "f"}} {
		s.kind(failure.Exists, s.fs.Rename(s.ctx, s.path(c[0]), s.path(c[1])))
	}
	require.Equal(s.t, []string{"empty", "empty2", "f", "full", "g"}, s.names(""))
	require.Equal(s.t, "g", s.read("g"))
	require.Equal(s.t, []string{"full/x"}, s.names("full"))
	require.Empty(s.t, s.names("empty"))
}

func (s *suite) renameOnce() {
	s.write("f", "content")
	for range 2 { // the second call finds that the file was already moved
		s.ok(dfs.RenameOnce(s.ctx, s.fs, s.path("f"), s.path("g")))
		require.Equal(s.t, "content", s.read("g"))
	}
	s.write("f", "other")
	s.kind(failure.Exists, dfs.RenameOnce(s.ctx, s.fs, s.path("f"), s.path("g")))
	require.Equal(s.t, "content", s.read("g"))
	s.kind(failure.NotFound, dfs.RenameOnce(s.ctx, s.fs, s.path("none"), s.path("nothing")))
}

func (s *suite) delete() {
	s.ok(s.fs.Delete(s.ctx, s.path("none"), false))
	s.ok(s.fs.Delete(s.ctx, s.path("none/at/all"), true))
	s.write("f", "x")
	s.ok(s.fs.Delete(s.ctx, s.path("f/below"), true))
	s.ok(s.fs.Delete(s.ctx, s.path("f"), false))
	require.False(s.t, s.exists("f"))
	s.write("d/e/f", "x")
	s.kind(failure.Exists, s.fs.Delete(s.ctx, s.path("d"), false))
	require.True(s.t, s.exists("d/e/f"))
	s.ok(s.fs.Delete(s.ctx, s.path("d"), true))
	require.False(s.t, s.exists("d"))
	s.ok(s.fs.Mkdir(s.ctx, s.path("empty")))
	s.ok(s.fs.Delete(s.ctx, s.path("empty"), false))
	require.Empty(s.t, s.names(""))
	s.kind(failure.Usage, s.fs.Delete(s.ctx, "/", true))
}

var oddNames = []string{" leading", "with space", "tab\there", "new\nline", "%41%2F", "100%", "star*", "que?ry",
	"[class]", "{a,b}", `back\slash`, "colon:name", "#hash", "+plus", "'quote'", `"double"`, "-dash", "...",
	"~", "日本語", "émile", "🐘", "a=b&c", "$HOME", "_hidden", ".hidden"}

func (s *suite) oddNames() {
	names := slices.DeleteFunc(slices.Clone(oddNames), s.refused)
	require.GreaterOrEqual(s.t, len(names), len(oddNames)-1)
	for _, name := range names {
		s.write("odd/"+name, name)
		s.write("dirs/"+name+"/f", name)
	}
	require.Len(s.t, s.names("odd"), len(names))
	for _, name := range names {
		require.Equal(s.t, name, s.read("odd/"+name))
		s.ok(s.fs.Rename(s.ctx, s.path("odd/"+name), s.path("odd/"+name+"2")))
		require.Equal(s.t, []string{"dirs/" + name + "/f"}, s.names("dirs/"+name))
		s.ok(s.fs.Delete(s.ctx, s.path("odd/"+name+"2"), false))
	}
	require.Empty(s.t, s.names("odd"))
}

// refused reports whether the file system rejects name. File systems may reject some names. In
// HDFS, for example, names cannot contain colons.
func (s *suite) refused(name string) bool {
	_, err := s.fs.Stat(s.ctx, s.path(name))
	return failure.Is(err, failure.Usage)
}

func (s *suite) badNames() {
	for _, name := range []string{"", "relative", "a\x00b", s.dir + "/zero\x00byte"} {
		_, err := s.fs.Stat(s.ctx, name)
		s.kind(failure.Usage, err)
		_, err = s.fs.Open(s.ctx, name)
		s.kind(failure.Usage, err)
		_, err = s.fs.List(s.ctx, name)
		s.kind(failure.Usage, err)
		_, err = s.fs.Create(s.ctx, name, dfs.CreateOptions{})
		s.kind(failure.Usage, err)
		s.kind(failure.Usage, s.fs.Mkdir(s.ctx, name))
		s.kind(failure.Usage, s.fs.Delete(s.ctx, name, true))
		s.kind(failure.Usage, s.fs.Rename(s.ctx, name, s.path("x")))
		s.kind(failure.Usage, s.fs.Rename(s.ctx, s.dir, name))
	}
}

func (s *suite) setMeta() {
	s.write("f", "x")
	mode := uint32(0o640)
	when := time.Date(2009, 6, 1, 12, 30, 15, 0, time.UTC)
	accessed := when.Add(time.Hour)
	s.ok(s.fs.SetMeta(s.ctx, s.path("f"), dfs.Meta{Mode: &mode, ModTime: &when, AccessTime: &accessed}))
	i, err := s.fs.Stat(s.ctx, s.path("f"))
	s.ok(err)
	require.Equal(s.t, mode, i.Mode)
	require.True(s.t, when.Equal(i.ModTime), i.ModTime)
	require.True(s.t, accessed.Equal(i.AccessTime), i.AccessTime)
	s.ok(s.fs.SetMeta(s.ctx, s.path("f"), dfs.Meta{Owner: &i.Owner, Group: &i.Group}))
	s.ok(s.fs.SetMeta(s.ctx, s.path("f"), dfs.Meta{}))
	s.kind(failure.NotFound, s.fs.SetMeta(s.ctx, s.path("none"), dfs.Meta{Mode: &mode}))
	s.kind(failure.NotFound, s.fs.SetMeta(s.ctx, s.path("none"), dfs.Meta{}))
}

func (s *suite) locations() {
	s.write("f", "0123456789")
	for _, c := range [][2]int64{{0, 10}, {3, 4}, {3, 100}} {
		blocks, err := s.fs.Locations(s.ctx, s.path("f"), c[0], c[1])
		s.ok(err)
		require.NotEmpty(s.t, blocks)
		require.LessOrEqual(s.t, blocks[0].Offset, c[0])
		end := blocks[0].Offset
		for _, b := range blocks {
			require.Equal(s.t, end, b.Offset, "blocks follow each other")
			end += b.Length
		}
		require.GreaterOrEqual(s.t, end, min(c[0]+c[1], 10))
	}
	for _, c := range [][2]int64{{10, 5}, {0, 0}, {50, 1}} {
		blocks, err := s.fs.Locations(s.ctx, s.path("f"), c[0], c[1])
		s.ok(err)
		require.Empty(s.t, blocks)
	}
	_, err := s.fs.Locations(s.ctx, s.path("none"), 0, 1)
	s.kind(failure.NotFound, err)
	if b, ok := s.fs.(dfs.BlockLister); ok {
		s.blocksInListings(b)
	}
}

func (s *suite) blocksInListings(b dfs.BlockLister) {
	s.write("d/g", "0123")
	for _, name := range []string{"", "d", "d/g"} {
		want, err := s.fs.List(s.ctx, s.path(name))
		s.ok(err)
		for stable := false; !stable; { // after a file is closed, further replicas can arrive
			before := s.located(want)
			got, blocks, err := b.ListBlocks(s.ctx, s.path(name))
			s.ok(err)
			require.Equal(s.t, want, got)
			if stable = reflect.DeepEqual(before, s.located(want)); stable {
				require.Equal(s.t, before, blocks)
			}
		}
	}
	_, _, err := b.ListBlocks(s.ctx, s.path("none"))
	s.kind(failure.NotFound, err)
}

// located returns the blocks of each file in all.
func (s *suite) located(all []dfs.Info) [][]dfs.Block {
	blocks := make([][]dfs.Block, len(all))
	for i, f := range all {
		if !f.Dir {
			var err error
			blocks[i], err = s.fs.Locations(s.ctx, f.Path, 0, f.Size)
			s.ok(err)
		}
	}
	return blocks
}

func (s *suite) glob() {
	for _, name := range []string{"in/2009/a.txt", "in/2009/b.txt", "in/2010/a.txt", "in/2010/.hidden", "in/readme"} {
		s.write(name, name)
	}
	glob := func(pattern string) []string {
		l, err := dfs.Glob(s.ctx, s.fs, s.dir+pattern)
		s.ok(err)
		out := []string{}
		for _, i := range l {
			out = append(out, i.Path[len(s.dir):])
		}
		return out
	}
	require.Equal(s.t, []string{"/in/2009/a.txt", "/in/2010/a.txt"}, glob("/in/*/a.txt"))
	require.Equal(s.t, []string{"/in/2010/.hidden", "/in/2010/a.txt"}, glob("/in/2010/*"))
	require.Equal(s.t, []string{"/in/2009/a.txt", "/in/2009/b.txt", "/in/readme"}, glob("/in/{2009/*,readme}"))
	require.Equal(s.t, []string{"/in/2010"}, glob("/in/20[1-9]?"))
	require.Equal(s.t, []string{"/in/readme"}, glob("/in/readme"))
	require.Empty(s.t, glob("/in/readme/*"))
	require.Empty(s.t, glob("/none*"))
	require.Empty(s.t, glob("/none"))
	_, err := dfs.Glob(s.ctx, s.fs, s.dir+"/{a,b")
	s.kind(failure.Usage, err)
}
