package daemon

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/internal/disk/disktest"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// TestSyncsOfAJob counts the syncs of a job with one map and one reduce in the JobTracker. Each takes
// time that the client waits for. All of them belong to promises that power_test.go checks.
func TestSyncsOfAJob(t *testing.T) {
	c := newCluster(t)
	require.NoError(t, os.MkdirAll(filepath.Join(c.root, "out"), 0o755))
	d, files := c.onDisk()
	var mu sync.Mutex
	syncs := map[string]int{}
	d.Fault = func(op disktest.Op, name string) error {
		mu.Lock()
		defer mu.Unlock()
		ofFirst := strings.Contains(name, "_0001") // its history can be written late
		if (op == disktest.Sync || op == disktest.SyncDir) && !ofFirst {
			syncs[c.place(name)]++
		}
		return nil
	}
	c.start()
	f := newFakeTracker(t, c, "t1")
	f.write = files.write
	f.run()
	x := c.client()
	for _, name := range []string{"first", "second"} {
		clear(syncs) // the first job creates directories for all jobs
		s, err := x.Submit(c.ctx(), c.job(name, 1, 1))
		require.NoError(t, err)
		r, err := x.Wait(c.ctx(), s.ID, nil)
		require.NoError(t, err)
		require.Equal(t, job.Succeeded, r.State)
	}
	require.NoError(t, c.stop())
	mu.Lock()
	defer mu.Unlock()
	// A late heartbeat can divide the five batches of facts: submission, launch of the map, launch of
	// the reduce, start of the commit, and end.
	require.LessOrEqual(t, syncs["mapred/jobtracker/journal.tmp"], 7)
	delete(syncs, "mapred/jobtracker/journal.tmp")
	require.Equal(t, map[string]int{
		// for a restart, before the job is admitted
		"mapred/jobtracker/jobs": 1, "mapred/jobtracker/jobs/2.info": 1,
		// the copy of the configuration for the history
		"mapred/jobtracker/history/000000": 1, "mapred/jobtracker/history/000000/ID_conf.xml": 1,
		// staged files, which the tasks need after a restart
		"mapred/staging/ann/.staging": 1, "mapred/staging/ann/.staging/ID": 1,
		"mapred/staging/ann/.staging/ID/job.split": 1, "mapred/staging/ann/.staging/ID/job.splitmetainfo": 1,
		"mapred/staging/ann/.staging/ID/job.xml": 1,
		// the fake TaskTracker's output, before the reduce reports its success
		"out/second/_temporary": 1, "out/second/_temporary/0": 1, "out/second/_temporary/0/attempt": 1,
		"out/second/_temporary/0/attempt/part-r-00000": 1,
		// three times: by the reduce, before the commit writes _SUCCESS, and after it
		"out/second": 3, "out": 2, "out/second/_SUCCESS": 1,
		// after the end
		"mapred/jobtracker/history/000000/ID.facts.part": 1,
	}, syncs)
}

// onDisk makes the cluster and its file system use a disktest.Disk.
func (c *cluster) onDisk() (*disktest.Disk, forgetful) {
	d, err := disktest.New(c.root)
	require.NoError(c.t, err)
	l, err := local.New(conf.New())
	require.NoError(c.t, err)
	files := forgetful{l, d}
	c.disk = d
	c.fs, err = dfs.NewSet(c.conf, map[string]dfs.Constructor{"file": func(string) (dfs.FileSystem, error) {
		return files, nil
	}})
	require.NoError(c.t, err)
	return d, files
}

// unsyncable is a file system that cannot make files durable. It finds out after claimed exists.
type unsyncable struct {
	accountless
	claimed string
}

func (u unsyncable) Persist(ctx context.Context, names ...string) error {
	for ctx.Err() == nil {
		if _, err := os.Stat(u.claimed); err == nil {
			return failure.New(failure.IO, "sync", names[0], nil)
		}
		time.Sleep(time.Millisecond)
	}
	return ctx.Err()
}

// TestStagedFilesCannotBeSynced checks that a rejected submission leaves nothing behind, although it
// has claimed the output directory meanwhile.
func TestStagedFilesCannotBeSynced(t *testing.T) {
	c := newCluster(t)
	l, err := local.New(c.conf)
	require.NoError(t, err)
	c.fs, err = dfs.NewSet(c.conf, map[string]dfs.Constructor{"file": func(string) (dfs.FileSystem, error) {
		return unsyncable{accountless{l}, c.out("job")}, nil
	}})
	require.NoError(t, err)
	c.start()
	_, err = c.client().Submit(c.ctx(), c.job("job", 1, 1))
	require.Equal(t, failure.IO, failure.KindOf(err), "%v", err)
	require.Empty(t, names(t, filepath.Join(c.root, "out")))
	require.Equal(t, []string{"last"}, names(t, filepath.Join(c.root, "mapred/jobtracker/jobs")))
	require.Empty(t, names(t, filepath.Join(c.root, "mapred/jobtracker/history/000000")))
	require.NoError(t, c.stop())
}

// place returns the path of a file or directory relative to the cluster's root, without the IDs of
// the job and its attempts.
func (c *cluster) place(name string) string {
	name, _ = filepath.Rel(c.root, name)
	return jobIDs.ReplaceAllString(attemptIDs.ReplaceAllString(name, "attempt"), "ID")
}

var (
	attemptIDs = regexp.MustCompile(`attempt_\w+`)
	jobIDs     = regexp.MustCompile(`job_[0-9]+_[0-9]+`)
)
