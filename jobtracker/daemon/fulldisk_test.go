package daemon

import (
	"bytes"
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/client"
	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/internal/factlog"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// fullDisk is a journal that rejects a submission with a key while full is set.
type fullDisk struct {
	factlog.Writer
	key  string
	full atomic.Bool
}

func (l *fullDisk) Append(b []byte) error {
	if l.full.Load() && bytes.Contains(b, []byte(l.key)) {
		return failure.New(failure.DiskFull, "write journal", "here", nil)
	}
	return l.Writer.Append(b)
}

// The disk of the journal becomes full while a job is submitted. The client does not know whether the
// job was admitted, so it keeps the staged files, and the job runs when there is room again.
func TestSubmissionToAFullDisk(t *testing.T) {
	c := newCluster(t)
	log := &fullDisk{key: "a key"}
	c.prepare = func(d *Daemon) {
		log.Writer = d.log
		d.log = log
	}
	c.start()
	x := c.client()
	j := c.job("a", 1, 0)
	j.Key = log.key
	log.full.Store(true)
	ctx, cancel := context.WithTimeout(c.ctx(), 10*time.Second)
	defer cancel()
	_, err := x.Submit(ctx, j)
	require.True(t, failure.Is(err, failure.Timeout), "%v", err)
	require.ErrorContains(t, err, "write journal")
	require.ErrorContains(t, err, "job -list")
	log.full.Store(false)
	var s *client.Submitted
	require.Eventually(t, func() bool { // the journal tries again twice a second
		s, err = x.Submit(c.ctx(), j)
		return err == nil
	}, time.Minute, 10*time.Millisecond)
	info := c.jobs.get(s.ID.Seq)
	require.NotNil(t, info)
	require.FileExists(t, info.StagingDir[len("file:"):]+"/job.xml")
	newFakeTracker(t, c, "t1").run()
	r, err := x.Wait(c.ctx(), s.ID, nil)
	require.NoError(t, err)
	require.Equal(t, job.Succeeded, r.State)
}

func TestDiskProblem(t *testing.T) {
	for free, want := range map[int64]string{minFree: "",
		minFree - 1: "the disk of here is full (1048575 bytes are free)"} {
		require.Equal(t, want, diskProblem("here", func(string) (int64, error) { return free, nil }))
	}
	dir := t.TempDir()
	require.Empty(t, diskProblem(dir, disk.Free))
	require.Contains(t, diskProblem(dir+"/missing", disk.Free), "missing")
}
