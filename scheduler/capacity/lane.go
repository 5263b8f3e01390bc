package capacity

import (
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// A lane is a resource for which tasks compete. With slots there are two lanes, for maps and for
// reduces. With memory, a single lane serves both. Each lane has its own accounts and its own order
// of queues.
type lane struct {
	types []job.TaskType // types of tasks that use the lane, in the order in which a job starts them
	resource
	order []*queue // by the fraction of the capacity in use, lowest first
	total int64    // cluster size when resize last computed capacities; -1 = never
}

// A resource measures the size of trackers and the cost of tasks.
type resource interface {
	cost(j *scheduler.Job, t job.TaskType) int64
	free(t *scheduler.Tracker) int64
	size(t *scheduler.Tracker) int64
	sum(v scheduler.View) int64
	slot(t job.TaskType) job.TaskType // argument for Launch
}

// slots is a resource that counts the slots of one type.
type slots struct{ kind job.TaskType }

func (s slots) cost(j *scheduler.Job, t job.TaskType) int64 { return int64(max(1, j.Width[t])) }
func (s slots) free(t *scheduler.Tracker) int64             { return int64(t.Free(s.kind)) }
func (s slots) size(t *scheduler.Tracker) int64             { return int64(t.Slots[s.kind]) }
func (s slots) sum(v scheduler.View) int64                  { return int64(v.Cluster().Slots[s.kind]) }
func (s slots) slot(t job.TaskType) job.TaskType            { return t }

// memory is a resource that counts MiB of memory.
type memory struct{}

func (memory) cost(j *scheduler.Job, t job.TaskType) int64 { return int64(j.Spec.Memory(t)) }
func (memory) free(t *scheduler.Tracker) int64             { return int64(t.Memory - t.UsedMemory) }
func (memory) size(t *scheduler.Tracker) int64             { return int64(t.Memory) }
func (memory) sum(v scheduler.View) int64                  { return v.Cluster().Memory }
func (memory) slot(job.TaskType) job.TaskType              { return job.Container }

func slotLanes() []lane {
	return []lane{
		{types: []job.TaskType{job.Map}, resource: slots{job.Map}},
		{types: []job.TaskType{job.Reduce}, resource: slots{job.Reduce}},
	}
}

// memoryLanes returns the only lane for memory. Reduces come before maps, as in the priorities of
// MRAppMaster.
func memoryLanes() []lane {
	return []lane{{types: []job.TaskType{job.Reduce, job.Map}, resource: memory{}}}
}

// resize recomputes the queues' capacities and limits after the cluster has grown or shrunk. at is
// the index of the lane.
func (l *lane) resize(v scheduler.View, at int) {
	total := l.sum(v)
	if total == l.total {
		return
	}
	l.total = total
	for _, q := range l.order {
		q.capacity[at] = total * q.set.Capacity / million
		q.limit[at] = total
		if q.set.Maximum != -1 {
			q.limit[at] = total * q.set.Maximum / million
		}
	}
	slices.SortFunc(l.order, func(a, b *queue) int { return a.compare(b, at) })
}

// moved restores the queue's position in l.order after the queue's account has changed.
func (l *lane) moved(q *queue, at int) {
	i := slices.Index(l.order, q)
	rest := slices.Delete(l.order, i, i+1)
	i, _ = slices.BinarySearchFunc(rest, q, func(a, b *queue) int { return a.compare(b, at) })
	l.order = slices.Insert(rest, i, q)
}
