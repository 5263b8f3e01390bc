package hadoop

import (
	"slices"
	"sync"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
)

// A Cache keeps the reports of ended jobs that were read last (Hadoop: CachedHistoryStorage). The
// zero Cache is empty. It is safe for concurrent use.
type Cache struct {
	mu   sync.Mutex
	list []*Report // the least recently used one first
}

// cached is the number of reports that a Cache keeps (mapreduce.jobhistory.loadedjobs.cache.size), and
// cachedTasks the number of their tasks. It always keeps one report.
const (
	cached      = 5
	cachedTasks = 50_000
)

// Get returns a report, or nil.
func (c *Cache) Get(id job.ID) *Report {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.list, func(r *Report) bool { return r.ID == id })
	if i < 0 {
		return nil
	}
	r := c.list[i]
	c.list = append(slices.Delete(c.list, i, i+1), r)
	return r
}

// Put keeps a report if its job has ended.
func (c *Cache) Put(r *Report) {
	if r.State == "" || c.Get(r.ID) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append(c.list, r)
	tasks := 0
	for i, r := range slices.Backward(c.list) {
		if tasks += len(r.Tasks); i < len(c.list)-1 && (tasks > cachedTasks || len(c.list)-i > cached) {
			c.list = slices.Delete(c.list, 0, i+1)
			return
		}
	}
}

// AddRunning completes the report of an unfinished job with its status, which contains attempts and
// their counters. It adds the tasks that have not started.
func (r *Report) AddRunning(s *status.Job) {
	r.State = ""
	at := map[job.TaskID]*Task{}
	for _, t := range r.Tasks {
		at[t.ID] = t
	}
	var all []*Task
	for typ, total := range [2]int32{s.Maps.Total, s.Reduces.Total} {
		for i := range total {
			id := job.TaskID{Job: r.ID, Type: job.TaskType(typ), Index: i}
			t := at[id]
			if t == nil {
				t = &Task{ID: id, Start: r.Launch, Finish: -1}
			}
			if t.State == "" {
				t.State = job.TaskPending.String()
			}
			at[id], all = t, append(all, t)
		}
	}
	r.Tasks = all
	for _, a := range s.Attempts {
		t := at[a.ID.TaskID]
		if t == nil || a.State.Terminal() {
			continue
		}
		i := slices.IndexFunc(t.Attempts, func(x *Attempt) bool { return x.ID == a.ID })
		if i < 0 {
			continue // it has started since the report was made
		}
		x := t.Attempts[i]
		x.State, x.Text, x.Progress = a.State.String(), a.Status, a.Progress
		if a.State == job.AttemptAssigned {
			x.State = "STARTING"
		}
		if a.ShuffleMs > 0 {
			x.Shuffle = a.ShuffleMs
		}
		if a.SortMs > 0 {
			x.Sort = a.SortMs
		}
		if a.Counters != nil {
			x.Counters = groupsOf(a.Counters)
		}
		t.State, t.Counters = job.TaskRunning.String(), x.Counters
	}
}
