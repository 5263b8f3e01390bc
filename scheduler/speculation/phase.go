package speculation

import (
	"cmp"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// phase is the tasks of one type of one running job.
type phase struct {
	job int32
	typ job.TaskType
	set *settings

	running []task          // tasks with attempts that run, in no order
	at      map[int32]int32 // place of a task in running, by its index
	twins   int32           // how many of them have more than one
	done    sample          // durations of attempts that succeeded
	nodes   []node          // trackers on which some succeeded, by handle

	due int64 // when to judge the tasks again, 0 = when something happens

	// The last judgement.
	candidates []int32 // tasks that want a second attempt, most urgent first
	limit      int32   // second attempts that there may be; what they count over is the rule's to say
	slow       []int32 // trackers that get none, by handle
}

// task is one that runs.
type task struct {
	index int32
	live  []int32 // numbers of its attempts that run
}

// node is a tracker as a phase knows it.
type node struct {
	tracker int32
	count   int64 // attempts that succeeded there
	millis  int64 // how long they took together
}

func (f *phase) compare(g *phase) int {
	return cmp.Or(cmp.Compare(f.job, g.job), cmp.Compare(f.typ, g.typ))
}

// started notes an attempt.
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

// grown gives room for one more task, with the memory of one that was there before.
func grown(s []task) []task {
	if len(s) == cap(s) {
		return append(s, task{})
	}
	s = s[:len(s)+1]
	s[len(s)-1].live = s[len(s)-1].live[:0]
	return s
}

// ended notes that an attempt is over.
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

// succeeded notes how long an attempt took.
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

// only gives the attempt of a task that runs alone.
func (f *phase) only(v scheduler.View, t *task) *scheduler.Attempt {
	if len(t.live) != 1 {
		return nil
	}
	return v.Attempt(f.attempt(t, 0))
}

func (f *phase) attempt(t *task, i int) job.Attempt {
	return job.Attempt{Task: job.Task{Job: f.job, Type: f.typ, Index: t.index}, N: t.live[i]}
}

// ranOn tells whether an attempt of the task, running or over, was on the tracker.
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
