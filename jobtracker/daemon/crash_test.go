package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/factlog"
	wire "github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

// crashes copies the whole disk after each write to a JobTracker's journal or file system. Each
// copy is the state after a kill at that moment.
type crashes struct {
	t      *testing.T
	root   string // root directory of the cluster
	copies string

	mu     sync.Mutex
	stages []string
}

// after makes a change and copies the resulting state. Other calls of after wait, but everything
// else continues. If a file disappears during the copy, after repeats the copy.
func (c *crashes) after(stage string, change func() error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	failed := change()
	dir := filepath.Join(c.copies, fmt.Sprint(len(c.stages)))
	err := os.CopyFS(dir, os.DirFS(c.root))
	for errors.Is(err, fs.ErrNotExist) {
		require.NoError(c.t, os.RemoveAll(dir))
		err = os.CopyFS(dir, os.DirFS(c.root))
	}
	require.NoError(c.t, err)
	c.stages = append(c.stages, stage)
	return failed
}

// restore replaces the whole disk with the nth copy.
func (c *crashes) restore(n int) {
	require.NoError(c.t, os.RemoveAll(c.root))
	require.NoError(c.t, os.CopyFS(c.root, os.DirFS(filepath.Join(c.copies, fmt.Sprint(n)))))
}

// crashLog is a journal that simulates a crash after every write.
type crashLog struct {
	factlog.Writer
	c *crashes
}

func (l crashLog) Append(b []byte) error {
	return l.c.after("facts", func() error { return l.Writer.Append(b) })
}

// crashFS is a file system that simulates a crash after every change.
type crashFS struct {
	dfs.FileSystem
	c *crashes
}

func (f crashFS) Resolve(name string) (dfs.FileSystem, string, error) {
	return f, strings.TrimPrefix(name, "file:"), nil
}

func (f crashFS) Mkdir(ctx context.Context, name string) error {
	if _, err := f.FileSystem.Stat(ctx, path.Dir(name)); failure.Is(err, failure.NotFound) {
		if err := f.Mkdir(ctx, path.Dir(name)); err != nil { // os.MkdirAll makes one directory at a time
			return err
		}
	}
	return f.c.after("mkdir "+name, func() error { return f.FileSystem.Mkdir(ctx, name) })
}

func (f crashFS) Rename(ctx context.Context, from, to string) error {
	return f.c.after("rename "+from, func() error { return f.FileSystem.Rename(ctx, from, to) })
}

func (f crashFS) Delete(ctx context.Context, name string, recursive bool) error {
	return f.c.after("delete "+name, func() error { return f.FileSystem.Delete(ctx, name, recursive) })
}

func (f crashFS) Create(ctx context.Context, name string, o dfs.CreateOptions) (dfs.Writer, error) {
	w, err := f.FileSystem.Create(ctx, name, o)
	return crashWriter{w, f.c, name}, err
}

type crashWriter struct {
	dfs.Writer
	c    *crashes
	name string
}

func (w crashWriter) Close() error {
	return w.c.after("create "+w.name, w.Writer.Close)
}

// A JobTracker is killed after each write to its journal or file system and restarted. The job ends
// in the same way each time: one job, each output file once, _SUCCESS, and no other files.
func TestCrashAfterEveryWrite(t *testing.T) {
	c := newCluster(t)
	points := &crashes{t: t, root: c.root, copies: t.TempDir()}
	files, _, err := c.fs.Resolve("file:/")
	require.NoError(t, err)
	submit := func() {
		j := c.job("out", 2, 2)
		j.Key = "the-one"
		x := c.client()
		s, err := x.Submit(c.ctx(), j)
		require.NoError(t, err)
		r, err := x.Wait(c.ctx(), s.ID, nil)
		require.NoError(t, err)
		require.Equal(t, job.Succeeded, r.State)
		list, err := c.wire().List(c.ctx(), &wire.ListRequest{All: true})
		require.NoError(t, err)
		require.Len(t, list.Job, 1)
		require.Equal(t, []string{"out"}, names(t, c.out("")))
		require.Equal(t, []string{"_SUCCESS", "part-r-00000", "part-r-00001"}, names(t, c.out("out")))
		require.NoError(t, c.sweepOnce(c.ctx(), time.Now().Add(time.Hour)))
		left := func() []string {
			return append(names(t, filepath.Join(c.root, "mapred/jobtracker/jobs")),
				names(t, filepath.Join(c.root, "mapred/staging/ann/.staging"))...)
		}
		require.Eventually(t, func() bool { return slices.Equal([]string{"last"}, left()) }, time.Minute, time.Millisecond,
			"only the counter stays")
		require.NoError(t, c.stop())
	}
	c.prepare = func(d *Daemon) {
		d.log = crashLog{d.log, points}
		d.cfg.FS = crashFS{files, points}
	}
	c.start()
	newFakeTracker(t, c, "t1").run()
	submit()
	c.prepare = nil
	require.Greater(t, len(points.stages), 10)

	for n, stage := range points.stages {
		t.Run(fmt.Sprint("nobody comes again ", n, " ", filepath.Base(stage)), func(t *testing.T) {
			c.t = t
			points.restore(n)
			c.start()
			list, err := c.Jobs().List(c.ctx(), status.Filter{All: true})
			require.NoError(t, err)
			if len(list) > 0 {
				t.Skip("the job counts")
			}
			c.sweepLost(c.ctx())
			if _, err := os.Stat(c.out("")); err == nil {
				require.Empty(t, names(t, c.out("")))
			}
			require.Equal(t, []string{"last"}, names(t, filepath.Join(c.root, "mapred/jobtracker/jobs")))
			require.NoError(t, c.stop())
		})
	}
	for n, stage := range points.stages {
		t.Run(fmt.Sprint(n, " ", filepath.Base(stage)), func(t *testing.T) {
			c.t = t
			points.restore(n)
			c.start()
			newFakeTracker(t, c, "t2").run()
			submit()
		})
	}
}
