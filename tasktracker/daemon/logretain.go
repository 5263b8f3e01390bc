package daemon

import (
	"os"
	"path/filepath"
	"time"
)

// retainLogs removes the logs of jobs that have been silent for longer than they are kept.
func (d *Daemon) retainLogs() {
	every := time.NewTicker(min(time.Hour, d.cfg.LogRetain/4))
	defer every.Stop()
	for {
		d.expireLogs(time.Now().Add(-d.cfg.LogRetain))
		select {
		case <-d.base.Done():
			return
		case <-every.C:
		}
	}
}

// expireLogs removes the logs of jobs of which nothing was written since a time.
func (d *Daemon) expireLogs(before time.Time) {
	root := filepath.Join(d.cfg.LogDir, userLogs)
	jobs, err := os.ReadDir(root)
	if err != nil {
		return
	}
	for _, j := range jobs {
		dir := filepath.Join(root, j.Name())
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
