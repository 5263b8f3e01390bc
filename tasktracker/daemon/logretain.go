package daemon

import (
	"os"
	"path/filepath"
	"time"

	"github.com/howdah/howdah/job"
)

// retainLogs removes the logs of jobs that have been silent for longer than they are kept.
func (d *Daemon) retainLogs() {
	every := time.NewTicker(min(time.Hour, d.cfg.LogRetain/4))
	defer every.Stop()
	for {
		d.expireLogs(time.Now().Add(-d.cfg.LogRetain), d.works)
		select {
		case <-d.base.Done():
			return
		case <-every.C:
		}
	}
}

// works reports whether the TaskTracker has anything to do with a job. It waits for the owner goroutine.
func (d *Daemon) works(id job.ID) (here bool) {
	d.ask(func() { _, here = d.jobs[id.Seq] })
	return here
}

// expireLogs removes the logs of jobs of which nothing was written since a time. Logs of jobs that work here stay, however
// silent: an attempt may be making its directory among them.
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
		if last := lastWrite(dir); !last.IsZero() && last.Before(before) {
			_ = os.RemoveAll(dir)
		}
	}
}

// lastWrite gives the newest time of a job's log directory, its attempts and their logs.
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
