package daemon

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"syscall"
	"time"

	"github.com/howdah/howdah/internal/logtail"
	"github.com/howdah/howdah/job"
)

// An attempt truncates its own logs when it ends (see task/child). Its processes write to the log
// files directly, so only the TaskTracker can limit the logs of a running or killed attempt.

// logCheck is the interval at which the TaskTracker checks the logs of running attempts. Between
// two checks, an attempt can exceed its limit by any amount that it can write to the disk.
const logCheck = time.Second

// limitLogs truncates the logs of running attempts, and the early output of their processes, that
// have become too long.
func (d *Daemon) limitLogs(ctx context.Context) error {
	every := time.NewTicker(logCheck)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-every.C:
		}
		var children []*child
		d.ask(func() {
			for _, r := range d.children {
				if c, ok := r.(*child); ok {
					children = append(children, c)
				}
			}
		})
		for _, c := range children {
			c.logs.cut(d)
			c.limitOutput(d.cfg.LogLimit)
		}
	}
}

// cut truncates those logs of the child's current or last attempt that are longer than twice the
// limit. The limit is the lower one of the TaskTracker's and the job's.
func (l *childLogs) cut(d *Daemon) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.job == nil {
		return
	}
	limit := lower(d.cfg.LogLimit, l.job.logLimit)
	if limit <= 0 {
		return
	}
	root, err := os.OpenRoot(filepath.Join(d.cfg.LogDir, userLogs))
	if err != nil {
		return // the directory is gone
	}
	defer root.Close()
	for i, name := range logFilters {
		cut, err := cutLog(root, path.Join(l.job.id, l.home, name), l.from[i], limit)
		switch {
		case err != nil:
			d.log.Warn("cannot cut a log", "attempt", l.id, "log", name, "err", err)
		case cut && !l.told[i]:
			l.told[i] = true
			d.log.Warn("an attempt's log is too long, and only its end remains", "attempt", l.id, "log", name,
				"limit", limit)
		}
	}
}

// lower returns the lower one of the limits a and b. 0 means no limit.
func lower(a, b int64) int64 {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// cutLog truncates the part of a log that starts at from to its last limit bytes if the part is
// longer than twice limit. It does not follow links, because the user's processes can replace the
// log with one.
func cutLog(root *os.Root, name string, from, limit int64) (cut bool, err error) {
	info, err := root.Lstat(name)
	if err != nil || !tooLong(info, from, limit) {
		return false, nil
	}
	f, err := root.OpenFile(name, os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil || !tooLong(info, from, limit) {
		return false, err
	}
	return true, logtail.Cut(f, from, limit)
}

// tooLong reports whether the part of a file that starts at from is longer than twice limit. It
// returns false unless the file is a regular file with a single link.
func tooLong(info os.FileInfo, from, limit int64) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return info.Mode().IsRegular() && ok && s.Nlink == 1 && (info.Size()-from)/2 > limit
}

// latest returns a child's last attempt, or the zero value if the child has had none.
func (c *child) latest() job.Attempt {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.attempt
}

// limitOutput limits the size of the file for output that the child writes before an attempt has
// opened its logs. If the file is longer than limit bytes, limitOutput empties it.
func (c *child) limitOutput(limit int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if limit == 0 || c.output == nil {
		return
	}
	if info, err := c.output.Stat(); err == nil && info.Size() > limit {
		_ = c.output.Truncate(0) // the file has no name, so only its content matters
	}
}
