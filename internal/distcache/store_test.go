package distcache

import (
	"archive/tar"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/job/failure"
)

func resolver(t testing.TB, c *conf.Config) dfs.Resolver {
	fs, err := local.Resolver(c)
	require.NoError(t, err)
	return fs
}

func write(t testing.TB, name, text string) string {
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	return name
}

// planned returns the cache entries of a job with the given files.
func planned(t testing.TB, files ...string) []Entry {
	c := conf.New()
	for _, f := range files {
		add(c, KeyTempFiles, f)
	}
	require.NoError(t, Plan(context.Background(), resolver(t, c), c, nil))
	all, err := Read(c)
	require.NoError(t, err)
	return all
}

func newStore(t testing.TB, limit int64) *Store {
	dir := t.TempDir()
	return &Store{Dir: func() (string, error) { return dir, nil }, Limit: limit}
}

func acquire(t testing.TB, s *Store, entries []Entry) *Lease {
	l, err := s.Acquire(context.Background(), resolver(t, conf.New()), User{Name: "ann"}, entries)
	require.NoError(t, err)
	return l
}

func TestPlan(t *testing.T) {
	dir := t.TempDir()
	a := write(t, dir+"/a.txt", "aaa")
	write(t, dir+"/d/x", "x")
	zip := write(t, dir+"/z.zip", string(zipOf(t, "in")))
	jar := write(t, dir+"/j.jar", string(zipOf(t, "in")))
	c := conf.New()
	c.Set(conf.JobCacheFiles.Name, "file:"+a+"#first", "test")
	c.Set(KeyTempFiles, a+",file://"+dir+"/d#tree", "test")
	c.Set(KeyTempJars, jar, "test")
	c.Set(KeyTempArchives, zip+"#zipped", "test")
	var shipped []string
	err := Plan(context.Background(), resolver(t, c), c, func(_ context.Context, local string) (string, error) {
		shipped = append(shipped, local)
		return "file:" + local, nil
	})
	require.NoError(t, err)
	require.Equal(t, []string{a, dir + "/d", jar, zip}, shipped)
	all, err := Read(c)
	require.NoError(t, err)
	var links []string
	for _, e := range all {
		links = append(links, e.Link)
		require.Positive(t, e.ModTime)
	}
	require.Equal(t, []string{"first", "a.txt", "tree", "j.jar", "zipped"}, links)
	require.EqualValues(t, 3, all[0].Size)
	require.Empty(t, c.Get(KeyTempFiles), "a second plan adds nothing")
}

func TestAllJarsOfADirectory(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.jar", "a.JAR", "notes.txt"} {
		write(t, dir+"/"+name, string(zipOf(t, "in")))
	}
	c := conf.New()
	c.Set(KeyTempJars, dir+"/*", "-libjars")
	require.NoError(t, Plan(context.Background(), resolver(t, c), c, nil))
	all, err := Read(c)
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.Equal(t, []string{"a.JAR", "b.jar"}, []string{all[0].Link, all[1].Link})
	c.Set(KeyTempJars, dir+"/none/*", "-libjars")
	require.True(t, failure.Is(Plan(context.Background(), resolver(t, c), c, nil), failure.NotFound))
}

func TestPlanRefuses(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/a.txt", "aaa")
	write(t, dir+"/evil.tar", string(tarOf(t, tar.Header{Name: "../up"})))
	require.NoError(t, os.Mkdir(dir+"/x.zip", 0o755))
	for _, x := range []struct {
		key, value string
		kind       failure.Kind
	}{
		{KeyTempFiles, dir + "/none", failure.NotFound},
		{conf.JobCacheFiles.Name, dir + "/none", failure.NotFound},
		{KeyTempJars, dir + "/a.txt", failure.Usage},
		{KeyTempArchives, dir + "/evil.tar", failure.Usage},
		{KeyTempFiles, dir + "/a.txt," + dir + "/evil.tar#a.txt", failure.Config},
		{KeyTempFiles, dir + "/a.txt#../b", failure.Config},
		{conf.JobCacheArchives.Name, dir + "/x.zip", failure.Usage},
		{conf.JobCacheArchives.Name, dir + "/a.txt", failure.Config},
	} {
		c := conf.New()
		c.Set(x.key, x.value, "test")
		err := Plan(context.Background(), resolver(t, c), c, func(context.Context, string) (string, error) {
			t.Fatal("nothing may be shipped")
			return "", nil
		})
		require.Equal(t, x.kind, failure.KindOf(err), "%s=%s: %v", x.key, x.value, err)
	}
}

func TestOneCopyForAllJobs(t *testing.T) {
	dir := t.TempDir()
	entries := planned(t, write(t, dir+"/a", "aaa"), write(t, dir+"/b", "bbbb")+"#sub/c")
	s := newStore(t, 1000)
	var wg sync.WaitGroup
	leases := make([]*Lease, 8)
	for i := range leases {
		wg.Go(func() { leases[i] = acquire(t, s, entries) })
	}
	wg.Wait()
	bytes, copies := s.Size()
	require.EqualValues(t, 7, bytes)
	require.Equal(t, 2, copies)
	for i, l := range leases {
		work := filepath.Join(t.TempDir(), fmt.Sprint(i))
		require.NoError(t, os.Mkdir(work, 0o755))
		require.NoError(t, l.Link(work))
		b, err := os.ReadFile(work + "/sub/c")
		require.NoError(t, err)
		require.Equal(t, "bbbb", string(b))
		require.True(t, failure.Is(l.Link(work), failure.Exists))
		l.Release()
	}
	_, copies = s.Size()
	require.Equal(t, 2, copies, "they stay for the next job")
}

// A link to its own directory makes a tree without end.
func TestEndlessDirectory(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(dir+"/d", 0o755))
	for _, name := range []string{"a", "b"} {
		require.NoError(t, os.Symlink(".", filepath.Join(dir, "d", name)))
	}
	entries := planned(t, dir+"/d")
	s := newStore(t, 1000)
	s.Archives.Entries = 100
	_, err := s.Acquire(context.Background(), resolver(t, conf.New()), User{Name: "ann"}, entries)
	require.True(t, failure.Is(err, failure.Limit), "%v", err)
	require.ErrorContains(t, err, "more than 100 entries")
}

func TestUnusedCopiesGo(t *testing.T) {
	dir := t.TempDir()
	s := newStore(t, 10)
	lease := func(name string) *Lease { return acquire(t, s, planned(t, write(t, dir+"/"+name, "12345"))) }
	a, b := lease("a"), lease("b")
	b.Release()
	a.Release()
	left := func() (n int) {
		home, err := s.Dir()
		require.NoError(t, err)
		list, err := os.ReadDir(home)
		require.NoError(t, err)
		return len(list)
	}
	require.Equal(t, 2, left())
	c := lease("c") // evicts a, which was used before b
	require.Equal(t, 2, left())
	_, err := os.Stat(b.entries[0].URI[5:])
	require.NoError(t, err)
	d, e := lease("d"), lease("e")
	require.Equal(t, 3, left(), "copies in use stay, whatever the limit")
	bytes, _ := s.Size()
	require.EqualValues(t, 15, bytes)
	for _, l := range []*Lease{c, d, e} {
		l.Release()
	}
	require.Equal(t, 2, left())
	var none *Lease
	none.Release()
	require.NoError(t, none.Link(dir))
}

func TestChangedFileIsToldOf(t *testing.T) {
	dir := t.TempDir()
	name := write(t, dir+"/a", "aaa")
	entries := planned(t, name)
	s := newStore(t, 1000)
	l := acquire(t, s, entries)
	require.NoError(t, os.Chtimes(name, time.Unix(5, 0), time.Unix(5, 0)))
	acquire(t, s, entries).Release() // the copy still matches the job's entry
	l.Release()
	other := newStore(t, 1000)
	_, err := other.Acquire(context.Background(), resolver(t, conf.New()), User{Name: "ann"}, entries)
	require.True(t, failure.Is(err, failure.Stale), "%v", err)
	require.ErrorContains(t, err, "changed after the job was submitted")
	require.NoError(t, os.Remove(name))
	_, err = other.Acquire(context.Background(), resolver(t, conf.New()), User{Name: "ann"}, entries)
	require.True(t, failure.Is(err, failure.NotFound), "%v", err)
	_, copies := other.Size()
	require.Zero(t, copies)
	again := planned(t, write(t, name, "new content"))
	l = acquire(t, s, again)
	require.NotEqual(t, entries[0].key("ann"), again[0].key("ann"))
	l.Release()
}

// slow is a resolver that interrupts its first user during the fetch.
type slow struct {
	dfs.Resolver
	once sync.Once
	in   chan struct{}
	end  func() // blocks until the second user waits for the copy, and then cancels the first user's context
}

func (s *slow) Resolve(name string) (dfs.FileSystem, string, error) {
	s.once.Do(func() {
		close(s.in)
		s.end()
	})
	return s.Resolver.Resolve(name)
}

func TestAJobThatEndsDoesNotTakeAnothersCopy(t *testing.T) {
	entries := planned(t, write(t, t.TempDir()+"/a", "aaa"))
	s := newStore(t, 1000)
	ctx, cancel := context.WithCancel(context.Background())
	r := &slow{Resolver: resolver(t, conf.New()), in: make(chan struct{}), end: func() {
		for users := 0; users < 2; runtime.Gosched() {
			s.mu.Lock()
			users = s.all[entries[0].key("ann")].users
			s.mu.Unlock()
		}
		cancel()
	}}
	var wg sync.WaitGroup
	wg.Go(func() {
		_, err := s.Acquire(ctx, r, User{Name: "ann"}, entries)
		require.Equal(t, failure.Killed, failure.KindOf(err), "%v", err)
	})
	<-r.in
	l, err := s.Acquire(context.Background(), r, User{Name: "ann"}, entries)
	require.NoError(t, err)
	l.Release()
	wg.Wait()
}
