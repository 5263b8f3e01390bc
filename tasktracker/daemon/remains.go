package daemon

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"github.com/howdah/howdah/internal/owned"
)

// remains are directories of ended jobs that the TaskTracker could not remove, for example because
// their disk was temporarily read-only. The zero value is ready to use. It is safe for concurrent
// use.
type remains struct {
	mu   sync.Mutex
	dirs map[string][]string // by job ID
}

// note remembers which of a job's directories still exist.
func (r *remains) note(job string, dirs ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, dir := range dirs {
		if _, err := os.Lstat(dir); err != nil {
			continue
		}
		if r.dirs == nil {
			r.dirs = map[string][]string{}
		}
		r.dirs[job] = append(r.dirs[job], dir)
	}
}

// reuse forgets a job's directories because the job is about to use them again.
func (r *remains) reuse(job string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.dirs, job)
}

// retry removes the directories that can now be removed, until ctx ends.
func (r *remains) retry(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for job, dirs := range r.dirs {
		var left []string
		for _, dir := range dirs {
			if owned.RemoveAll(ctx, dir) != nil {
				left = append(left, dir)
			}
		}
		if r.dirs[job] = left; len(left) == 0 {
			delete(r.dirs, job)
		}
	}
}

// noteRemains remembers the job directories that discard could not remove, except preserved files.
func (d *Daemon) noteRemains(j *localJob) {
	if j.id == "" { // killed before the JobTracker described it; nothing was created
		return
	}
	d.remains.note(j.id, filepath.Join(d.served.root, j.id))
	if len(j.preserved) == 0 {
		d.remains.note(j.id, j.roots...)
	}
}
