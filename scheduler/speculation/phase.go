package speculation

import (
	"cmp"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// A phase is the set of tasks of one type in a running job.
type phase struct {
	job int32
	typ job.TaskType
	set *settings

	running []task          // tasks with running attempts, unordered
	at      map[int32]int32 // position in running, by index of the task
	twins   int32           // number of tasks with more than one running attempt
	done    sample          // durations of successful attempts
	nodes   []node          // trackers on which attempts have succeeded, by handle

	due int64 // when to judge the tasks again; 0 = not scheduled

	// Results of the last judgment.
	candidates []int32 // tasks that need a second attempt, most urgent first
	limit      int32   // maximum number of second attempts; rule.twins returns the number to compare
	slow       []int32 // trackers that get no second attempts, by handle
}

// A task holds the state of a task with running attempts.
type task struct {
	index int32
	live  []int32 // numbers of its running attempts
}

// A node is a phase's record of a tracker.
type node struct {
	tracker int32
	count   int64 // attempts that succeeded there
	millis  int64 // their total time
}

func (f *phase) compare(g *phase) int {
	return cmp.Or(cmp.Compare(f.job, g.job), cmp.Compare(f.typ, g.typ))
}

func (f *phase) started(id job.Attempt) {
	i, ok := f.at[id.Index]
	if !ok {
		i = int32(len(f.running))
		f.at[id.Index] = i
		f.running = grown(f.running)
		f.running[i].index = id.Index
	}
	t := &f.running[i]
	t.live = append(t.live, id.N)
	if len(t.live) == 2 {
		f.twins++
	}
}

// grown extends s by one task without live attempts. It reuses the memory of an earlier task if
// possible.
func grown(s []task) []task {
	if len(s) == cap(s) {
		return append(s, task{})
	}
	s = s[:len(s)+1]
	s[len(s)-1].live = s[len(s)-1].live[:0]
	return s
}

func (f *phase) ended(id job.Attempt) {
	i, ok := f.at[id.Index]
	if !ok {
		return
	}
	t := &f.running[i]
	n := slices.Index(t.live, id.N)
	if n < 0 {
		return
	}
	t.live = slices.Delete(t.live, n, n+1)
	switch len(t.live) {
	case 1:
		f.twins--
	case 0:
		last := int32(len(f.running) - 1)
		f.running[i], f.running[last] = f.running[last], f.running[i]
		f.at[f.running[i].index] = i
		delete(f.at, id.Index)
		f.running = f.running[:last]
	}
}

// succeeded records the duration of a successful attempt.
func (f *phase) succeeded(tracker int32, millis int64) {
	millis = max(millis, 1)
	f.done.add(millis)
	i, found := slices.BinarySearchFunc(f.nodes, tracker, func(n node, h int32) int { return cmp.Compare(n.tracker, h) })
	if !found {
		f.nodes = slices.Insert(f.nodes, i, node{tracker: tracker})
	}
	f.nodes[i].count++
	f.nodes[i].millis += millis
}

// only returns the running attempt of the task, or nil if the task does not have exactly one.
func (f *phase) only(v scheduler.View, t *task) *scheduler.Attempt {
	if len(t.live) != 1 {
		return nil
	}
	return v.Attempt(f.attempt(t, 0))
}

func (f *phase) attempt(t *task, i int) job.Attempt {
	return job.Attempt{Task: job.Task{Job: f.job, Type: f.typ, Index: t.index}, N: t.live[i]}
}

// ranOn reports whether an attempt of the task, running or finished, was on the tracker.
func (f *phase) ranOn(v scheduler.View, index, tracker int32) bool {
	id := job.Attempt{Task: job.Task{Job: f.job, Type: f.typ, Index: index}}
	for {
		a := v.Attempt(id)
		if a == nil {
			return false
		}
		if a.Tracker == tracker {
			return true
		}
		id.N++
	}
}
