package daemon

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/job"
)

// filesBelow gives the files below a directory, relative to it.
func filesBelow(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	_ = filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !strings.HasSuffix(name, partial) { // what is being written does not count
			rel, _ := filepath.Rel(dir, name)
			out = append(out, filepath.ToSlash(rel))
		}
		return nil
	})
	return out
}

func TestFinishedJobsInHadoopsFormats(t *testing.T) {
	c := newCluster(t)
	classic := filepath.Join(c.root, "classic")
	c.conf.Set(keyClassic, "file:"+classic, "test")
	c.start()
	newFakeTracker(t, c, "t1").run()
	x := c.client()
	j := c.job("count", 3, 2)
	j.Conf.Set(keyUserHistory, filepath.Join(c.root, "mine"), "test")
	s, err := x.Submit(c.ctx(), j)
	require.NoError(t, err)
	r, err := x.Wait(c.ctx(), s.ID, nil)
	require.NoError(t, err)
	require.Equal(t, job.Succeeded, r.State)

	done := filepath.Join(c.cfg.Dir, "done")
	require.Eventually(t, func() bool { return len(filesBelow(t, filepath.Join(c.root, "mine"))) == 2 }, 60*time.Second, time.Millisecond)
	day := time.Now().Format("2006/01/02") + "/000000/"
	kept := filesBelow(t, done)
	require.Len(t, kept, 2)
	require.True(t, strings.HasPrefix(kept[0], day+s.ID.String()+"-") && strings.HasSuffix(kept[0], ".jhist"), kept[0])
	require.Equal(t, day+s.ID.String()+"_conf.xml", kept[1])
	b, err := os.ReadFile(filepath.Join(done, kept[0]))
	require.NoError(t, err)
	require.Contains(t, string(b), "file:"+filepath.Join(done, kept[1]), "the history names its configuration")
	require.Contains(t, string(b), `"type":"JOB_FINISHED"`)

	old := filesBelow(t, classic)
	require.Len(t, old, 2)
	require.True(t, strings.HasPrefix(old[0], "version-1/"+c.Daemon.cluster+"/"+day+s.ID.String()+"_"), old[0])
	mine := filesBelow(t, filepath.Join(c.root, "mine"))
	require.True(t, strings.HasPrefix(mine[0], "_logs/history/"+s.ID.String()), mine[0])

	// Told again, after a crash before the job's file was dropped, it stays as it is.
	f := finished{id: s.ID, user: "ann", state: job.Succeeded}
	c.workers.done.keep(c.ctx(), f)
	require.Equal(t, kept, filesBelow(t, done))
	again, err := os.ReadFile(filepath.Join(done, kept[0]))
	require.NoError(t, err)
	require.Equal(t, b, again)
}

// userFiles are the file systems in the users' names, and who made which files.
type userFiles struct {
	dfs.Resolver
	user string
	mu   *sync.Mutex
	made map[string]string
}

func (u userFiles) Resolve(name string) (dfs.FileSystem, string, error) {
	fs, p, err := u.Resolver.Resolve(name)
	return userFS{fs, u}, p, err
}

type userFS struct {
	dfs.FileSystem
	u userFiles
}

func (f userFS) Create(ctx context.Context, name string, o dfs.CreateOptions) (dfs.Writer, error) {
	f.u.mu.Lock()
	f.u.made[name] = f.u.user
	f.u.mu.Unlock()
	return f.FileSystem.Create(ctx, name, o)
}

// What a user wants to have is written in the user's name: the JobTracker may write where the user may not, and the other way round.
func TestHistoryForTheUserIsTheUsers(t *testing.T) {
	c := newCluster(t)
	all := userFiles{mu: &sync.Mutex{}, made: map[string]string{}}
	c.prepare = func(d *Daemon) {
		d.cfg.As = func(user string, _ []byte) (dfs.Resolver, func(), error) {
			return userFiles{d.cfg.FS, user, all.mu, all.made}, func() {}, nil
		}
	}
	c.start()
	newFakeTracker(t, c, "t1").run()
	x := c.client()
	j := c.job("count", 1, 0)
	mine := filepath.Join(c.root, "mine")
	j.Conf.Set(keyUserHistory, mine, "test")
	s, err := x.Submit(c.ctx(), j)
	require.NoError(t, err)
	_, err = x.Wait(c.ctx(), s.ID, nil)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return len(filesBelow(t, mine)) == 2 }, 60*time.Second, time.Millisecond)
	all.mu.Lock()
	defer all.mu.Unlock()
	for _, f := range filesBelow(t, mine) {
		part := path.Join(mine, path.Dir(f), "_"+path.Base(f)+partial)
		require.Equal(t, "ann", all.made[part], part)
	}
}

// A JobHistoryServer of Hadoop fetches histories from a folder for each user.
func TestIntermediateHistory(t *testing.T) {
	c := newCluster(t)
	dir := filepath.Join(c.root, "intermediate")
	c.conf.Set(keyIntermediate, "file:"+dir, "test")
	c.start()
	newFakeTracker(t, c, "t1").run()
	x := c.client()
	s, err := x.Submit(c.ctx(), c.job("count", 1, 0))
	require.NoError(t, err)
	_, err = x.Wait(c.ctx(), s.ID, nil)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return len(filesBelow(t, dir)) == 2 }, 60*time.Second, time.Millisecond)
	require.True(t, strings.HasPrefix(filesBelow(t, dir)[0], "ann/"+s.ID.String()))
	require.Empty(t, filesBelow(t, filepath.Join(c.cfg.Dir, "done")))
}

func TestOldHistoryIsDeleted(t *testing.T) {
	root := t.TempDir()
	put := func(name string) {
		name = filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, nil, 0o644))
	}
	for _, name := range []string{"2026/01/01/000000/job_1_0001-x.jhist", "2026/01/01/000000/job_1_0001_conf.xml", "2026/01/02/000000/job_1_0002-x.jhist",
		"2026/01/01/000001/notes.txt", "2026/01/01/job_1_0003-x.jhist", "mine/01/01/000000/job_1_0001-x.jhist", "job_1_0009-x.jhist"} {
		put(name)
	}
	c := newCluster(t)
	fs, err := local.New(c.conf)
	require.NoError(t, err)
	require.NoError(t, cleanDays(t.Context(), fs, root, time.Date(2026, 1, 2, 12, 0, 0, 0, time.Local)))
	require.ElementsMatch(t, []string{"2026/01/02/000000/job_1_0002-x.jhist", "2026/01/01/000001/notes.txt", "2026/01/01/job_1_0003-x.jhist",
		"mine/01/01/000000/job_1_0001-x.jhist", "job_1_0009-x.jhist"}, filesBelow(t, root))
	require.NoDirExists(t, filepath.Join(root, "2026/01/01/000000"))
}
