package daemon

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/jobtracker"
)

// endings keeps the states of the latest ended jobs, so that the JobTracker lists these jobs after
// the machine has dropped them with their tasks (Hadoop: RetireJobs). It is safe for concurrent use.
type endings struct {
	most int // mapreduce.jobtracker.retiredjobs.cache.size

	mu   sync.Mutex
	list []listed // in the order in which the jobs ended
}

// add keeps an ended job, and drops the oldest one if there are too many.
func (e *endings) add(j listed) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list = append(e.list, j)
	e.drop()
}

// before adds the jobs in old, which ended before all jobs in the list.
func (e *endings) before(old []listed) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list = append(old, e.list...)
	e.drop()
}

func (e *endings) drop() {
	if n := len(e.list) - e.most; n > 0 {
		e.list = slices.Delete(e.list, 0, n)
	}
}

// merge returns the machine's jobs and the dropped jobs that f selects, in order of job numbers.
// has contains the numbers of all jobs in the machine.
func (e *endings) merge(jobs []listed, f status.Filter, has map[int32]bool) []listed {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, j := range e.list {
		if has[j.ID.Seq] || f.Queue != "" && j.Queue != f.Queue {
			continue
		}
		has[j.ID.Seq] = true
		retired := *j.Job
		retired.Retired = true
		jobs = append(jobs, listed{&retired, j.access})
	}
	slices.SortStableFunc(jobs, func(a, b listed) int { return cmp.Compare(a.ID.Seq, b.ID.Seq) })
	return jobs
}

// ended keeps the state of a job that has just ended. Only the owner's goroutine may use it.
func (d *Daemon) ended(seq int32) {
	if d.owner.m.Job(seq) != nil && d.endings.most > 0 {
		d.endings.add(d.listed(d.owner.m, seq))
	}
}

// loadRetired reads the latest ended jobs from the history after a start. Jobs with damaged files
// are missing from the list, and the errors are in the log.
func (d *Daemon) loadRetired(ctx context.Context) error {
	has, err := look(ctx, d.owner, func(m *jobtracker.Machine) (map[int32]bool, error) {
		has := map[int32]bool{}
		for _, seq := range m.AllJobs() {
			has[seq] = true
		}
		return has, nil
	})
	if err != nil {
		return nil // the JobTracker is stopping
	}
	newest, err := d.archive.Newest(d.endings.most)
	if err != nil {
		d.cfg.Log.Warn("cannot list the history", "error", err)
	}
	var old []listed
	for _, seq := range newest {
		if ctx.Err() != nil {
			return nil
		}
		if has[seq] {
			continue
		}
		m, err := d.retired(ctx, job.ID{Cluster: d.cluster, Seq: seq})
		if err != nil {
			d.cfg.Log.Warn("cannot read the history of a job", "job", seq, "error", err)
			continue
		}
		old = append(old, d.listed(m, seq))
	}
	slices.SortStableFunc(old, func(a, b listed) int { return cmp.Compare(a.FinishMs, b.FinishMs) })
	d.endings.before(old)
	return nil
}
