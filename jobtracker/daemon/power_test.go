package daemon

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/internal/disk/disktest"
	"github.com/howdah/howdah/internal/staging"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

// forgetful is a local file system whose changes go to a disktest.Disk.
type forgetful struct {
	*local.FS
	d *disktest.Disk
}

// Within returns f, because a confined local.FS would change the real disk.
func (f forgetful) Within(string) dfs.FileSystem { return f }

func (f forgetful) Mkdir(_ context.Context, name string) error {
	if _, err := os.Stat(name); err == nil {
		return nil
	}
	if err := f.Mkdir(context.Background(), path.Dir(name)); err != nil {
		return err
	}
	return f.d.Mkdir(name, 0o755)
}

func (f forgetful) Rename(_ context.Context, from, to string) error {
	if _, err := os.Stat(to); err == nil {
		return failure.New(failure.Exists, "rename", to, nil)
	}
	return kind(f.d.Rename(from, to))
}

func (f forgetful) Delete(_ context.Context, name string, _ bool) error {
	return kind(f.d.RemoveAll(name))
}

func kind(err error) error {
	if err == nil {
		return nil
	}
	return failure.New(failure.KindOf(err), "change", "file", err)
}

func (f forgetful) Create(ctx context.Context, name string, _ dfs.CreateOptions) (dfs.Writer, error) {
	if err := f.Mkdir(ctx, path.Dir(name)); err != nil {
		return nil, kind(err)
	}
	w, err := f.d.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644)
	return forgetfulWriter{w}, kind(err)
}

func (f forgetful) Persist(_ context.Context, names ...string) error {
	dirs := map[string]bool{}
	for _, name := range names {
		dirs[path.Dir(name)] = true
		info, err := os.Stat(name)
		if err == nil && info.IsDir() {
			dirs[name] = true
			continue
		}
		file, err := f.d.OpenFile(name, os.O_RDONLY, 0)
		if err == nil {
			err = errors.Join(file.Sync(), file.Close())
		}
		if err != nil {
			return kind(err)
		}
	}
	for dir := range dirs {
		if err := f.d.SyncDir(dir); err != nil {
			return kind(err)
		}
	}
	return nil
}

// write creates a durable file with its own name as its content in an attempt's output directory.
func (f forgetful) write(dir, name string) error {
	w, err := f.Create(context.Background(), path.Join(dir, name), dfs.CreateOptions{})
	if err != nil {
		return err
	}
	_, err = w.Write([]byte(name))
	if err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	zero := path.Dir(dir)
	return f.Persist(context.Background(), path.Join(dir, name), dir, zero, path.Dir(zero), path.Dir(path.Dir(zero)))
}

type forgetfulWriter struct{ disk.File }

func (w forgetfulWriter) Abort() { w.Close() }

// The power is cut at random moments while jobs are submitted, run, committed, and retired, and
// while snapshots replace the journal. After the restart, each job whose submission was
// acknowledged succeeds, and the output of each job whose success a client has seen is there.
func TestPowerFailures(t *testing.T) {
	seed := disktest.Seed(t)
	failures := 100
	if testing.Short() {
		failures = 20
	}
	total := 0
	for i := range failures + 1 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, uint64(i)))
			c := newCluster(t)
			c.conf.Set("mapred.jobtracker.completeuserjobs.maximum", "1", "test")
			c.conf.Set("howdah.client.reconnect.timeout", "0", "test")
			c.conf.Set("howdah.client.connect.timeout", "0", "test")
			// These exist since the first job.
			for _, dir := range []string{"mapred/staging/ann/.staging", "mapred/system", "mapred/jobtracker", "out"} {
				require.NoError(t, os.MkdirAll(filepath.Join(c.root, dir), 0o755))
			}
			plain := c.fs
			d, files := c.onDisk()
			if i > 0 {
				d.CutAfter(1 + rng.IntN(total))
			}
			c.prepare = func(d *Daemon) { d.log = &compacting{Writer: d.log} }
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c.starting = ctx
			go func() { // without power, a start that waits for storage waits in vain
				defer cancel()
				for ctx.Err() == nil && !d.Off() {
					time.Sleep(time.Millisecond)
				}
			}()

			submitted, succeeded := map[string]job.ID{}, map[string]job.ID{}
			if err := c.tryStart(); err == nil {
				stop := runTold(t, c, files, submitted, succeeded)
				if i == 0 {
					total = d.Ops()
				}
				d.Cut()
				stop()
				_ = c.stop()
			}
			after := t.TempDir()
			require.NoError(t, d.Restore(after, rng))
			require.NoError(t, os.RemoveAll(c.root))
			require.NoError(t, os.Rename(after, c.root))

			c.disk, c.fs, c.prepare, c.starting = nil, plain, nil, nil
			c.start()
			checkStaged(t, c, submitted)
			newFakeTracker(t, c, "t1").run() // the same TaskTracker
			x := c.client()
			for name, id := range submitted {
				r, err := x.Wait(c.ctx(), id, nil)
				require.NoError(t, err, name)
				require.Equal(t, job.Succeeded, r.State, name)
				checkOutput(t, c.out(name))
			}
			for name, id := range succeeded {
				j, err := c.Jobs().Status(c.ctx(), id, status.Query{Attempts: true})
				require.NoError(t, err, name)
				require.NotEmpty(t, j.Attempts, "the history of %s", name)
			}
			require.NoError(t, c.stop())
		})
		if t.Failed() {
			return
		}
	}
}

// checkStaged checks the files that the tasks of unfinished jobs need. No TaskTracker runs, but jobs
// whose tasks have ended can end meanwhile.
func checkStaged(t *testing.T, c *cluster, submitted map[string]job.ID) {
	for name, id := range submitted {
		err := readStaged(t, c, id)
		j, statusErr := c.Jobs().Status(c.ctx(), id, status.Query{})
		require.NoError(t, statusErr, name)
		if j.State == job.Running {
			require.NoError(t, err, name)
		}
	}
}

func readStaged(t *testing.T, c *cluster, id job.ID) error {
	fs, dir, err := c.stagingDir("ann", id)
	require.NoError(t, err)
	metas, _, err := staging.ReadMeta(t.Context(), fs, dir, staging.MetaLimit{Splits: 10})
	for _, m := range metas {
		_, splitErr := staging.ReadSplit(t.Context(), fs, path.Join(dir, staging.SplitFile), m.Offset)
		err = errors.Join(err, splitErr)
	}
	staged, _, readErr := staging.ReadConf(t.Context(), fs, dir, 1<<20)
	kept := conf.New()
	f, keptErr := os.Open(c.archive.ConfFile(id))
	if keptErr == nil {
		keptErr = kept.LoadXML(f, f.Name())
		_ = f.Close()
	}
	if err = errors.Join(err, readErr, keptErr); err == nil && !slices.Equal(properties(staged), properties(kept)) {
		err = errors.New("the copy of the configuration differs")
	}
	return err
}

func checkOutput(t *testing.T, dir string) {
	require.Equal(t, []string{"_SUCCESS", "part-r-00000", "part-r-00001"}, names(t, dir))
	for _, name := range names(t, dir)[1:] {
		b, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, name, string(b))
	}
}

// runTold runs jobs until the power is cut and records the replies to the client. It returns a
// function that stops the TaskTracker.
func runTold(t *testing.T, c *cluster, files forgetful, submitted, succeeded map[string]job.ID) (stop func()) {
	f := newFakeTracker(t, c, "t1")
	f.write = files.write
	stop = f.run()
	ctx, cancel := context.WithCancel(c.ctx())
	go func() { // without power, nobody answers
		defer cancel()
		for ctx.Err() == nil && !files.d.Off() {
			time.Sleep(time.Millisecond)
		}
	}()
	defer cancel()
	x := c.client()
	for i := range 4 {
		name := "job" + itoa(i)
		s, err := x.Submit(ctx, c.job(name, 2, 2))
		if err != nil {
			return stop
		}
		submitted[name] = s.ID
		r, err := x.Wait(ctx, s.ID, nil)
		if err != nil || r.State != job.Succeeded {
			return stop
		}
		succeeded[name] = s.ID
	}
	return stop
}
