package daemon

import (
	"context"
	"fmt"
	"time"

	"github.com/howdah/howdah/tasktracker"
)

// remainsTime is the maximum time that one check of the disks spends on the removal of ended jobs'
// files. Jobs that are about to start wait for this removal.
const remainsTime = 10 * time.Second

// watchDisks reports to the machine whether any local directory is usable for new attempts. It
// checks the directories at intervals of DiskCheck and whenever an attempt has a disk problem. If
// all directories have less free space than MinSpaceKill, it makes the machine kill an attempt.
// Each check also retries the removal of ended jobs' files.
func (d *Daemon) watchDisks(ctx context.Context) error {
	ticker := time.NewTicker(d.cfg.DiskCheck)
	defer ticker.Stop()
	for {
		d.checkDisks(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		case <-d.alarm:
		}
	}
}

func (d *Daemon) checkDisks(ctx context.Context) {
	free, err := d.dirs.free()
	if err == nil {
		err = makeOpen(d.served.root)
	}
	if err == nil {
		_, err = usable(d.served.root) // every map creates a link there
	}
	why := ""
	switch {
	case err != nil:
		why = "no local directory can be used: " + err.Error()
	case free <= d.cfg.MinSpaceStart:
		why = fmt.Sprintf("local directories are full: %d bytes free, more than %d needed (mapred.local.dir.minspacestart)",
			free, d.cfg.MinSpaceStart)
	}
	d.post(tasktracker.Input{Kind: tasktracker.InHealth, Text: why})
	if err == nil && d.cfg.MinSpaceKill > 0 && free < d.cfg.MinSpaceKill {
		d.post(tasktracker.Input{Kind: tasktracker.InShed,
			Text: fmt.Sprintf("Task was given up to free local disk space: %d bytes free (mapred.local.dir.minspacekill=%d)",
				free, d.cfg.MinSpaceKill)})
	}
	if err == nil {
		ctx, cancel := context.WithTimeout(ctx, remainsTime)
		defer cancel()
		d.remains.retry(ctx)
	}
}
