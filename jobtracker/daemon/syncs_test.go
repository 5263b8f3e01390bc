package daemon

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/internal/disk/disktest"
	"github.com/howdah/howdah/job"
)

// TestSyncsOfAJob counts the syncs of a job with one map and one reduce in the JobTracker. Each takes
// time that the client waits for. All of them belong to promises that power_test.go checks.
func TestSyncsOfAJob(t *testing.T) {
	c := newCluster(t)
	require.NoError(t, os.MkdirAll(filepath.Join(c.root, "out"), 0o755))
	d, err := disktest.New(c.root)
	require.NoError(t, err)
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
	l, err := local.New(conf.New())
	require.NoError(t, err)
	files := forgetful{l, d}
	c.disk = d
	c.fs, err = dfs.NewSet(c.conf, map[string]dfs.Constructor{"file": func(string) (dfs.FileSystem, error) {
		return files, nil
	}})
	require.NoError(t, err)
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
