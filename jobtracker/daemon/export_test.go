package daemon

import (
	"bytes"
	"context"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/faultfs"
	"github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/jobtracker/archive"
)

// filesBelow returns the files below a directory by relative path.
func filesBelow(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	_ = filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !strings.HasSuffix(name, ".part") { // ignore incomplete files
			rel, _ := filepath.Rel(dir, name)
			out = append(out, filepath.ToSlash(rel))
		}
		return nil
	})
	return out
}

func TestFinishedJobsInHadoopsFormats(t *testing.T) {
	c := newCluster(t)
	classic, done := filepath.Join(c.root, "classic"), filepath.Join(c.root, "done")
	c.conf.Set("mapreduce.jobhistory.done-dir", "file:"+done, "test")
	c.conf.Set("mapreduce.jobtracker.jobhistory.completed.location", "file:"+classic, "test")
	c.start()
	newFakeTracker(t, c, "t1").run()
	x := c.client()
	j := c.job("count", 3, 2)
	j.Conf.Set("mapreduce.job.userhistorylocation", filepath.Join(c.root, "mine"), "test")
	s, err := x.Submit(c.ctx(), j)
	require.NoError(t, err)
	r, err := x.Wait(c.ctx(), s.ID, nil)
	require.NoError(t, err)
	require.Equal(t, job.Succeeded, r.State)
	ended, err := x.Status(c.ctx(), s.ID, status.Query{})
	require.NoError(t, err)
	settings, err := os.ReadFile(strings.TrimPrefix(ended.JobFile, "file:"))
	require.NoError(t, err, "the status of an ended job names a file that exists")
	require.Contains(t, string(settings), "mapreduce.job.userhistorylocation")

	require.Eventually(t, func() bool { return len(filesBelow(t, filepath.Join(c.root, "mine"))) == 2 }, 60*time.Second,
		time.Millisecond)
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

	// A second export, as after a crash before the removal of the job's file, changes nothing.
	c.workers.exporter.Export(c.ctx(), s.ID, nil, nil)
	require.Equal(t, kept, filesBelow(t, done))
	again, err := os.ReadFile(filepath.Join(done, kept[0]))
	require.NoError(t, err)
	require.Equal(t, b, again)

	// The file that a client makes from the facts differs only in the configuration's path.
	facts, err := x.Journal(c.ctx(), s.ID)
	require.NoError(t, err)
	fs, root, err := c.fs.Resolve("file:" + filepath.Join(c.root, "later"))
	require.NoError(t, err)
	var later string
	require.NoError(t, archive.Split(bytes.NewReader(facts), func(id job.ID, facts []byte) (err error) {
		require.Equal(t, s.ID, id)
		later, err = archive.WriteJHist(c.ctx(), facts, fs, root)
		return err
	}))
	require.Equal(t, path.Base(kept[0]), path.Base(later))
	made, err := os.ReadFile(later)
	require.NoError(t, err)
	require.Equal(t, strings.Replace(string(b), path.Dir(filepath.Join(done, kept[0])), path.Dir(later), 1), string(made))
	wrote, err := os.ReadFile(filepath.Join(path.Dir(later), path.Base(kept[1])))
	require.NoError(t, err)
	sources := regexp.MustCompile(`<source>.*?</source>`)
	require.Equal(t, sources.ReplaceAllString(string(settings), ""), sources.ReplaceAllString(string(wrote), ""))
}

// By default, a small job that has ended leaves two files that fit into a block each.
func TestSmallJobsLeaveLittle(t *testing.T) {
	c := newCluster(t)
	c.start()
	newFakeTracker(t, c, "t1").run()
	s, err := c.client().Submit(c.ctx(), c.job("count", 1, 1))
	require.NoError(t, err)
	_, err = c.client().Wait(c.ctx(), s.ID, nil)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return !exists(c.jobs.path(s.ID.Seq)) }, time.Minute, time.Millisecond)
	c.told() // wait until the history is complete
	var left []string
	const block = 4096
	for _, name := range filesBelow(t, c.cfg.Dir) {
		if strings.Contains(name, s.ID.String()) {
			info, err := os.Stat(filepath.Join(c.cfg.Dir, name))
			require.NoError(t, err)
			require.LessOrEqual(t, info.Size(), int64(block), name)
			left = append(left, name)
		}
	}
	require.Equal(t, []string{"history/000000/" + s.ID.String() + ".facts",
		"history/000000/" + s.ID.String() + "_conf.xml"}, left)
	require.NoDirExists(t, filepath.Join(c.cfg.Dir, "done"))
}

// The export of a history waits until a full disk has room again.
func TestExportToAFullDisk(t *testing.T) {
	c := newCluster(t)
	done := filepath.Join(c.root, "done")
	c.conf.Set("mapreduce.jobhistory.done-dir", "file:"+done, "test")
	l, err := local.New(conf.New())
	require.NoError(t, err)
	full := faultfs.New(l, 1, faultfs.Rule{Ops: faultfs.Write, Path: "/done/", Do: faultfs.Fail,
		Kind: failure.DiskFull})
	c.fs, err = dfs.NewSet(c.conf, map[string]dfs.Constructor{"file": func(string) (dfs.FileSystem, error) {
		return full, nil
	}})
	require.NoError(t, err)
	c.prepare = func(d *Daemon) { d.workers.exportWait = time.Millisecond }
	c.start()
	newFakeTracker(t, c, "t1").run()
	s, err := c.client().Submit(c.ctx(), c.job("count", 1, 0))
	require.NoError(t, err)
	_, err = c.client().Wait(c.ctx(), s.ID, nil)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return len(full.Struck()) > 3 }, time.Minute, time.Millisecond)
	require.Empty(t, filesBelow(t, done))
	require.FileExists(t, c.jobs.path(s.ID.Seq), "a restart would export the history")
	full.Heal()
	require.Eventually(t, func() bool { return !exists(c.jobs.path(s.ID.Seq)) }, time.Minute, time.Millisecond)
	require.Len(t, filesBelow(t, done), 2)
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// userFiles provides the users' file systems and records the files that each user created.
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

// The history for a user is written with the user's permissions. The JobTracker can write where the
// user cannot, and vice versa.
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
	j.Conf.Set("mapreduce.job.userhistorylocation", mine, "test")
	s, err := x.Submit(c.ctx(), j)
	require.NoError(t, err)
	_, err = x.Wait(c.ctx(), s.ID, nil)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return len(filesBelow(t, mine)) == 2 }, 60*time.Second, time.Millisecond)
	all.mu.Lock()
	defer all.mu.Unlock()
	for _, f := range filesBelow(t, mine) {
		part := path.Join(mine, path.Dir(f), "_"+path.Base(f)+".part")
		require.Equal(t, "ann", all.made[part], part)
	}
}

// Hadoop's JobHistoryServer collects histories from one folder per user.
func TestIntermediateHistory(t *testing.T) {
	c := newCluster(t)
	dir := filepath.Join(c.root, "intermediate")
	c.conf.Set("mapreduce.jobhistory.intermediate-done-dir", "file:"+dir, "test")
	c.conf.Set("mapreduce.jobhistory.done-dir", "file:"+filepath.Join(c.root, "done"), "test")
	c.start()
	newFakeTracker(t, c, "t1").run()
	x := c.client()
	s, err := x.Submit(c.ctx(), c.job("count", 1, 0))
	require.NoError(t, err)
	_, err = x.Wait(c.ctx(), s.ID, nil)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return len(filesBelow(t, dir)) == 2 }, 60*time.Second, time.Millisecond)
	require.True(t, strings.HasPrefix(filesBelow(t, dir)[0], "ann/"+s.ID.String()))
	require.Empty(t, filesBelow(t, filepath.Join(c.root, "done")))
}
