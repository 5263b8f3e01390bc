package capacity

import (
	"cmp"
	"strings"

	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// A queue holds the jobs and accounts of one configured queue. Its slices of amounts are indexed by
// lane.
type queue struct {
	set      *Queue
	jobs     ordered.Ranking[*entry]   // all running jobs
	idle     ordered.Ranking[*entry]   // those that are not active
	wanting  []ordered.Ranking[*entry] // active jobs with a task to start
	users    map[string]*user
	busy     []int32 // number of users with running or pending tasks
	used     []int64
	capacity []int64
	limit    []int64 // maximum amount that the queue may use

	most        int32 // maximum number of active jobs
	mostPerUser int32 // maximum number of active jobs of one user
	active      int32 // number of active jobs
	tasks       int64 // number of tasks of active jobs
}

// A user holds the accounts of a user with running jobs in a queue. Its slices are indexed by lane.
type user struct {
	name   string
	jobs   int32
	used   []int64
	busy   []int32 // number of jobs with running or pending tasks
	active int32
	tasks  int64
}

// An entry is a running job in a queue. Its slices are indexed by lane.
type entry struct {
	seq      int32
	queue    *queue
	user     *user
	priority job.Priority // 0 if the queue does not support priorities
	submit   int64
	tasks    int64
	began    bool // at least one task had started when the policy added the job
	active   bool

	running  []int64 // amounts that its attempts use
	reserved []int64 // amounts that trackers reserve for its tasks
	counted  []int64 // sum of running and reserved that count has recorded
	busy     []bool
	open     []bool  // a task is ready to start
	wants    []bool  // open and active, so the job is in the queue's wanting list
	missed   int32   // offers of slots since the job's last map that was not off-switch
	factor   float64 // see waitFactor
}

func newQueue(set *Queue, s *Settings, lanes int) *queue {
	q := &queue{set: set, users: map[string]*user{}, wanting: make([]ordered.Ranking[*entry], lanes),
		busy: make([]int32, lanes), used: make([]int64, lanes), capacity: make([]int64, lanes), limit: make([]int64, lanes),
		most: s.activeJobs(set), mostPerUser: s.activeJobsPerUser(set)}
	q.jobs.Compare, q.idle.Compare = first, first
	for l := range q.wanting {
		q.wanting[l].Compare = first
	}
	return q
}

func newEntry(q *queue, j *scheduler.Job, lanes int) *entry {
	u := q.users[j.Spec.User]
	if u == nil {
		u = &user{name: j.Spec.User, used: make([]int64, lanes), busy: make([]int32, lanes)}
		q.users[u.name] = u
	}
	x := &entry{seq: j.Seq, queue: q, user: u, submit: j.Submit,
		tasks: int64(j.Tasks[job.Map]) + int64(j.Tasks[job.Reduce]), factor: waitFactor(j.Spec),
		running: make([]int64, lanes), reserved: make([]int64, lanes), counted: make([]int64, lanes),
		busy: make([]bool, lanes), open: make([]bool, lanes), wants: make([]bool, lanes)}
	for t := range j.Running {
		x.began = x.began || j.Running[t]+j.Finished[t] > 0
	}
	if q.set.Priorities {
		x.priority = j.Priority
	}
	return x
}

// first orders the jobs of a queue by priority, time of submission, and sequence number.
func first(a, b *entry) int {
	return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(a.submit, b.submit), cmp.Compare(a.seq, b.seq))
}

// compare orders queues by the fraction of their capacity in use, then by name. A queue without
// capacity counts as full.
func (q *queue) compare(o *queue, lane int) int {
	a, ca := q.ratio(lane)
	b, cb := o.ratio(lane)
	return cmp.Or(cmp.Compare(a*cb, b*ca), strings.Compare(q.set.Name, o.set.Name))
}

func (q *queue) ratio(lane int) (used, capacity int64) {
	if q.capacity[lane] == 0 {
		return 1, 1
	}
	return q.used[lane], q.capacity[lane]
}

func (q *queue) enter(x *entry) {
	q.jobs.Put(x)
	q.idle.Put(x)
	x.user.jobs++
}

func (q *queue) leave(x *entry) {
	if x.active {
		x.setActive(false)
	}
	q.jobs.Take(x)
	q.idle.Take(x)
	x.user.jobs--
	if x.user.jobs == 0 {
		delete(q.users, x.user.name)
	}
}

// reorder changes the job's priority and its position in the queue. It does nothing if the queue
// does not support priorities.
func (q *queue) reorder(x *entry, p job.Priority) {
	if !q.set.Priorities || p == x.priority {
		return
	}
	q.jobs.Take(x)
	q.idle.Take(x)
	for l := range x.wants {
		x.setWants(l, false)
	}
	x.priority = p
	q.jobs.Put(x)
	if !x.active {
		q.idle.Put(x)
	}
	for l := range x.wants {
		x.setWants(l, x.open[l] && x.active)
	}
}

// count records the amount of the lane that the job uses or reserves, and whether the job has
// running or pending tasks in the lane.
func (x *entry) count(p *Policy, lane int, amount int64, busy bool) {
	q, u := x.queue, x.user
	if d := amount - x.counted[lane]; d != 0 {
		x.counted[lane] = amount
		q.used[lane] += d
		u.used[lane] += d
		p.lanes[lane].moved(q, lane)
	}
	if busy == x.busy[lane] {
		return
	}
	x.busy[lane] = busy
	was := u.busy[lane] > 0
	if busy {
		u.busy[lane]++
	} else {
		u.busy[lane]--
	}
	switch is := u.busy[lane] > 0; {
	case is && !was:
		q.busy[lane]++
	case was && !is:
		q.busy[lane]--
	}
}

// setWants adds the job to the lane's list of jobs with tasks to start, or removes it from the
// list.
func (x *entry) setWants(lane int, wants bool) {
	if wants == x.wants[lane] {
		return
	}
	x.wants[lane] = wants
	if list := &x.queue.wanting[lane]; wants {
		list.Put(x)
	} else {
		list.Take(x)
	}
}
