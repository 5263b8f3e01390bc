package adaptive

import (
	"cmp"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// TaskScheduler enforces a placement (section IV-E). A task that runs is never stopped: a job-slot that moved to another job
// changes hands when its task is done. Nothing starts beyond what f(t) leaves of a tracker.
type TaskScheduler struct {
	opt      options
	updater  *JobStatusUpdater
	capacity *capacity
	nodes    *nodes
	due      []*descriptor // jobs with job-slots, as the last cycle left them, those first that have the least of theirs
}

// Assign fills a tracker's free slots.
func (s *TaskScheduler) Assign(v scheduler.View, tracker int32, p scheduler.Plan) {
	x := s.nodes.byHandle[tracker]
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

// search is how far a beat has looked through the jobs for tasks of a type. Who was passed over has nothing that starts here
// later in the same beat either: room, waiting tasks and job-slots not in use only become fewer.
type search struct{ cells, due, jobs int }

func (s *TaskScheduler) assign(v scheduler.View, x *node, k job.TaskType, p scheduler.Plan) {
	t, at := v.Tracker(x.handle), search{}
	for t != nil && t.Free(k) > 0 {
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

// one starts one task: in a job-slot of this tracker; else of a job that has fewer running than job-slots in the cluster; else,
// if nobody is to be left waiting beside a free slot, of any job.
func (s *TaskScheduler) one(v scheduler.View, x *node, k job.TaskType, at *search, room *Demand, p scheduler.Plan) bool {
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
	for ; s.opt.surplus && at.jobs < len(s.updater.jobs); at.jobs++ {
		if s.launch(v, x, s.updater.jobs[at.jobs], k, room, p) {
			return true
		}
	}
	return false
}

func (s *TaskScheduler) launch(v scheduler.View, x *node, d *descriptor, k job.TaskType, room *Demand, p scheduler.Plan) bool {
	if !d.wants(k) || !d.demand[k].fits(room) {
		return false
	}
	index, ok := int32(0), false
	if k == job.Map {
		index, _, ok = v.PickMap(d.seq, x.handle, job.OffSwitch)
	} else {
		index, ok = v.PickReduce(d.seq, x.handle)
	}
	return ok && p.Launch(job.Task{Job: d.seq, Type: k, Index: index}, x.handle, k)
}

// adopt takes the jobs of a finished cycle over. Jobs that get the same are in order of their goals.
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

// unhappiest orders by how much the running tasks of a job fall short of its job-slots, then by goal.
func unhappiest(a, b *descriptor) int {
	return cmp.Or(cmp.Compare(a.short(), b.short()), cmp.Compare(a.rank, b.rank))
}

// short is the share of its job-slots that a job has running, in thousandths.
func (d *descriptor) short() int64 {
	return 1000 * int64(d.run[job.Map]) / int64(max(1, d.grant[job.Map]))
}
