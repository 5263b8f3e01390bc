package adaptive

import (
	"cmp"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// A TaskScheduler enforces a placement (section IV-E). It never stops a running task. If a job-slot
// moves to another job, the old job's task still finishes in it. No task starts beyond the capacity
// that f(t) leaves on a tracker.
type TaskScheduler struct {
	opt      options
	updater  *JobStatusUpdater
	capacity *capacity
	nodes    *nodes
	// due contains the jobs with job-slots as of the last cycle, in the order that unhappiest
	// defines.
	due []*descriptor
}

// Assign starts tasks in the tracker's free slots.
func (s *TaskScheduler) Assign(v scheduler.View, tracker int32, p scheduler.Plan) {
	x := s.nodes.byHandle.Get(tracker)
	if x == nil {
		return
	}
	for k := job.Reduce; ; k = job.Map {
		s.assign(v, x, k, p)
		if k == job.Map {
			return
		}
	}
}

// A search is a heartbeat's position in a node's cells and in due, for one type of task. It only
// advances: a skipped job cannot start a task later in the same heartbeat, because room, pending
// tasks, and unused job-slots only decrease.
type search struct{ cells, due int }

func (s *TaskScheduler) assign(v scheduler.View, x *node, k job.TaskType, p scheduler.Plan) {
	t, at := v.Tracker(x.handle), search{}
	for t.Free(k) > 0 {
		room := s.capacity.of(t, k, v.Now())
		room.take(&x.used, 1)
		if room[Slot] -= int64(t.Used[k]); room[Slot] <= 0 {
			return
		}
		if !s.one(v, x, k, &at, &room, p) {
			return
		}
	}
}

// one starts one task and reports whether it did. It first looks for an unused job-slot on this
// tracker, then for a job that runs fewer attempts than it has job-slots in the cluster. Then, if
// surplus slots may be used, it tries all waiting jobs.
func (s *TaskScheduler) one(v scheduler.View, x *node, k job.TaskType, at *search, room *Demand,
	p scheduler.Plan) bool {
	for ; at.cells < len(x.cells); at.cells++ {
		c := &x.cells[at.cells]
		if c.run[k] < c.place[k] && c.d.run[k] < c.d.grant[k] && s.launch(v, x, c.d, k, room, p) {
			return true
		}
	}
	for ; at.due < len(s.due); at.due++ {
		d := s.due[at.due]
		if d.run[k] < d.grant[k] && s.launch(v, x, d, k, room, p) {
			return true
		}
	}
	return s.opt.surplus && s.updater.waiting[k].Find(func(d Demand) bool { return d.fits(room) },
		func(d *descriptor) bool { return s.launch(v, x, d, k, room, p) })
}

func (s *TaskScheduler) launch(v scheduler.View, x *node, d *descriptor, k job.TaskType, room *Demand,
	p scheduler.Plan) bool {
	if !d.wants(k) || !d.demand[k].fits(room) {
		return false
	}
	index, ok := scheduler.Pick(v, d.seq, x.handle, k)
	return ok && p.Launch(job.Task{Job: d.seq, Type: k, Index: index}, x.handle, k)
}

// adopt puts into effect the job-slots that a completed cycle has assigned to the given jobs.
func (s *TaskScheduler) adopt(jobs []*descriptor) {
	s.due = s.due[:0]
	for _, d := range jobs {
		d.grant = d.alloc
		if d.grant != [2]int32{} && !d.gone {
			s.due = append(s.due, d)
		}
	}
	slices.SortFunc(s.due, unhappiest)
}

// unhappiest orders jobs by the used share of their map job-slots, smallest first, then by rank.
func unhappiest(a, b *descriptor) int {
	return cmp.Or(cmp.Compare(a.short(), b.short()), cmp.Compare(a.rank, b.rank))
}

// short returns the number of the job's running maps divided by the number of its map job-slots, in
// thousandths. A job without map job-slots counts as having one.
func (d *descriptor) short() int64 {
	return 1000 * int64(d.run[job.Map]) / int64(max(1, d.grant[job.Map]))
}
