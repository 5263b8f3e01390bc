package capacity

import (
	"cmp"
	"slices"
	"strings"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// queue is one with its jobs and accounts. Slices of amounts are indexed by lane.
type queue struct {
	set      *Queue
	jobs     []*entry // all that run, first first
	wanting  [][]*entry
	users    map[string]*user
	busy     []int32 // users with tasks that run or wait
	used     []int64
	capacity []int64
	limit    []int64 // what it may use at most

	most        int32 // active jobs
	mostPerUser int32
	active      int32
	tasks       int64 // of active jobs
}

// user is one with jobs in a queue.
type user struct {
	name   string
	jobs   int32
	used   []int64
	busy   []int32 // jobs with tasks that run or wait
	active int32
	tasks  int64
}

// entry is a job.
type entry struct {
	seq      int32
	queue    *queue
	user     *user
	priority job.Priority // 0 for all where the queue does not support priorities
	submit   int64
	tasks    int64
	began    bool // something of it has run
	active   bool

	running  []int64 // what its attempts take
	reserved []int64 // what is held for it
	counted  []int64 // what the accounts have of both
	busy     []bool
	open     []bool // some task wants to start
	wants    []bool // and the job is active: it is in the queue's list
	missed   int32  // chances since its last map near its input
	factor   float64
}

func newQueue(set *Queue, s *Settings, lanes int) *queue {
	return &queue{set: set, users: map[string]*user{}, wanting: make([][]*entry, lanes), busy: make([]int32, lanes), used: make([]int64, lanes),
		capacity: make([]int64, lanes), limit: make([]int64, lanes), most: s.activeJobs(set), mostPerUser: s.activeJobsPerUser(set)}
}

func newEntry(q *queue, j *scheduler.Job, lanes int) *entry {
	u := q.users[j.Spec.User]
	if u == nil {
		u = &user{name: j.Spec.User, used: make([]int64, lanes), busy: make([]int32, lanes)}
		q.users[u.name] = u
	}
	x := &entry{seq: j.Seq, queue: q, user: u, submit: j.Submit, tasks: int64(j.Tasks[job.Map]) + int64(j.Tasks[job.Reduce]), factor: waitFactor(j.Spec),
		running: make([]int64, lanes), reserved: make([]int64, lanes), counted: make([]int64, lanes), busy: make([]bool, lanes), open: make([]bool, lanes), wants: make([]bool, lanes)}
	for t := range j.Running {
		x.began = x.began || j.Running[t]+j.Finished[t] > 0
	}
	if q.set.Priorities {
		x.priority = j.Priority
	}
	return x
}

// first orders the jobs of a queue.
func first(a, b *entry) int {
	return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(a.submit, b.submit), cmp.Compare(a.seq, b.seq))
}

// compare orders queues by what they use of their capacity. One without capacity counts as full.
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
	i, _ := slices.BinarySearchFunc(q.jobs, x, first)
	q.jobs = slices.Insert(q.jobs, i, x)
	x.user.jobs++
}

func (q *queue) leave(x *entry) {
	i, _ := slices.BinarySearchFunc(q.jobs, x, first)
	q.jobs = slices.Delete(q.jobs, i, i+1)
	if x.active {
		x.setActive(false)
	}
	x.user.jobs--
	if x.user.jobs == 0 {
		delete(q.users, x.user.name)
	}
}

// reorder gives a job another priority.
func (q *queue) reorder(x *entry, p job.Priority) {
	if !q.set.Priorities || p == x.priority {
		return
	}
	i, _ := slices.BinarySearchFunc(q.jobs, x, first)
	q.jobs = slices.Delete(q.jobs, i, i+1)
	for l := range x.wants {
		x.setWants(l, false)
	}
	x.priority = p
	i, _ = slices.BinarySearchFunc(q.jobs, x, first)
	q.jobs = slices.Insert(q.jobs, i, x)
	for l := range x.wants {
		x.setWants(l, x.open[l] && x.active)
	}
}

// count notes what a job takes of a lane, reservations included, and whether it has tasks there that run or wait.
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

// setWants puts a job into the list of those that want something of a lane, or takes it out.
func (x *entry) setWants(lane int, wants bool) {
	if wants == x.wants[lane] {
		return
	}
	x.wants[lane] = wants
	list := &x.queue.wanting[lane]
	i, _ := slices.BinarySearchFunc(*list, x, first)
	if wants {
		*list = slices.Insert(*list, i, x)
	} else {
		*list = slices.Delete(*list, i, i+1)
	}
}
