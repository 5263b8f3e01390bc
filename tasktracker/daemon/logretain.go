package daemon

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/howdah/howdah/internal/owned"
	"github.com/howdah/howdah/job"
)

// retainLogs removes each job's logs when the retention time has passed since the job ended on this
// node.
func (d *Daemon) retainLogs(ctx context.Context) error {
	every := time.NewTicker(min(time.Hour, d.cfg.LogRetain/4))
	defer every.Stop()
	for {
		d.expireLogs(time.Now().Add(-d.cfg.LogRetain), d.works)
		select {
		case <-ctx.Done():
			return nil
		case <-every.C:
		}
	}
}

// works reports whether the job has files on this TaskTracker or will have some soon. It waits
// until the owner goroutine has answered.
func (d *Daemon) works(id job.ID) (here bool) {
	d.ask(func() { here = d.jobs[id.Seq] != nil || d.leaving[id.Seq] != nil })
	return here
}

// expireLogs removes the logs of every job whose logs have not changed since before. It keeps the
// logs of jobs for which works returns true. A call to discard counts as a change. Logs whose times
// are in the future count as changed when expireLogs first sees them.
func (d *Daemon) expireLogs(before time.Time, works func(job.ID) bool) {
	root := filepath.Join(d.cfg.LogDir, userLogs)
	jobs, err := os.ReadDir(root)
	if err != nil {
		return
	}
	for _, j := range jobs {
		dir := filepath.Join(root, j.Name())
		if id, err := job.ParseID(j.Name()); err == nil && works(id) {
			continue
		}
		last := lastWrite(dir)
		if now := time.Now(); last.After(now) {
			if d.future == nil {
				d.future = map[string]time.Time{}
			}
			if d.future[dir].IsZero() {
				d.future[dir] = now
			}
			last = d.future[dir]
		}
		if !last.IsZero() && last.Before(before) {
			_ = owned.RemoveAll(context.Background(), dir)
			delete(d.future, dir)
		}
	}
}

// lastWrite returns the latest modification time of a job's log directory, its attempts'
// directories, and their logs.
func lastWrite(dir string) time.Time {
	var newest time.Time
	_ = filepath.Walk(dir, func(_ string, info os.FileInfo, err error) error {
		if err == nil && info.ModTime().After(newest) {
			newest = info.ModTime()
		}
		return nil
	})
	return newest
}
