package tasklevel

import (
	"cmp"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/simulator/replay"
	"github.com/howdah/howdah/simulator/trace"
)

// jobState is the state of an unfinished job.
type jobState struct {
	view    scheduler.Job // the policies' view of the job
	times   replay.Times
	tasks   [2][]*task         // nil = waiting, &succeeded, or the running attempt; allocated at the first launch
	tried   map[job.Task]int32 // number of failed and killed attempts of a task; absent = 0
	pending [2]int32           // waiting tasks, regardless of slow start
	from    [2]int32           // position in starting order before which no task waits
	order   []int32            // starting order of maps; nil means by index
	oldest  [2]*task           // running task that started first, or nil
	newest  [2]*task
	need    int32 // number of maps that must succeed before reduces may start
	result  trace.JobResult
}

// task is a running task. The engine reuses the memory after the attempt has ended.
type task struct {
	attempt scheduler.Attempt
	order   uint64 // order of the attempt's end in the queue; 0 = not in the queue
	fails   bool   // the attempt will fail
	filler  bool   // the task is a reduce that waits for the last map, with an unknown end
	before  *task  // doubly linked list of running tasks in start order
	after   *task
}

// succeeded stands for every task that has succeeded.
var succeeded task

func (j *jobState) mapsDone() bool { return j.view.Finished[job.Map] == j.view.Tasks[job.Map] }

func (j *jobState) done() bool { return j.view.Finished == j.view.Tasks }

// byInput returns the order in which the real JobTracker starts equally distant maps: by input
// size, largest first, and then by index. It returns nil if this order is the order of the indexes.
func byInput(splits []job.SplitMeta) []int32 {
	falls := func(a, b job.SplitMeta) int { return cmp.Compare(b.Length, a.Length) }
	if slices.IsSortedFunc(splits, falls) {
		return nil
	}
	order := make([]int32, len(splits))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return falls(splits[a], splits[b]) })
	return order
}

// pick returns the first waiting task in starting order. It returns false if no task of the type
// may start.
func (j *jobState) pick(typ job.TaskType) (int32, bool) {
	if j.view.Pending[typ] == 0 {
		return 0, false
	}
	tasks, at := j.table(typ), j.from[typ]
	if typ == job.Map && j.order != nil {
		for tasks[j.order[at]] != nil {
			at++
		}
		j.from[typ] = at
		return j.order[at], true
	}
	for tasks[at] != nil {
		at++
	}
	j.from[typ] = at
	return at, true
}

// returned makes a task that has lost its attempt available to pick again.
func (j *jobState) returned(typ job.TaskType, i int32) {
	if typ == job.Map && j.order != nil {
		i = 0
	}
	j.from[typ] = min(j.from[typ], i)
}

// table returns the tasks of type typ, indexed by number.
func (j *jobState) table(typ job.TaskType) []*task {
	if j.tasks[typ] == nil {
		j.tasks[typ] = make([]*task, j.view.Tasks[typ])
	}
	return j.tasks[typ]
}

// running returns the task of the attempt, or nil if the attempt is not running.
func (j *jobState) running(id job.Attempt) *task {
	if id.Type > job.Reduce || id.Index < 0 || int(id.Index) >= len(j.tasks[id.Type]) {
		return nil
	}
	if t := j.tasks[id.Type][id.Index]; t != nil && t.attempt.ID == id {
		return t
	}
	return nil
}

// link appends the task to the list of running tasks of its type.
func (j *jobState) link(t *task) {
	typ := t.attempt.ID.Type
	t.before, t.after = j.newest[typ], nil
	if t.before == nil {
		j.oldest[typ] = t
	} else {
		t.before.after = t
	}
	j.newest[typ] = t
}

func (j *jobState) unlink(t *task) {
	typ := t.attempt.ID.Type
	if t.before == nil {
		j.oldest[typ] = t.after
	} else {
		t.before.after = t.after
	}
	if t.after == nil {
		j.newest[typ] = t.before
	} else {
		t.after.before = t.before
	}
}

// window holds the unfinished jobs by number. Because job numbers only grow and old jobs end, a
// sliding slice suffices, and a lookup is an index operation.
type window struct {
	base int32 // number of the first job
	jobs []*jobState
}

func (w *window) get(seq int32) *jobState {
	if i := int(seq) - int(w.base); i >= 0 && i < len(w.jobs) {
		return w.jobs[i]
	}
	return nil
}

func (w *window) add(j *jobState) {
	if len(w.jobs) == 0 {
		w.base = j.view.Seq
	}
	w.jobs = append(w.jobs, j)
}

func (w *window) remove(seq int32) {
	w.jobs[seq-w.base] = nil
	n := 0
	for n < len(w.jobs) && w.jobs[n] == nil {
		n++
	}
	w.jobs = w.jobs[n:] // append eventually moves to a new array, which frees the old one
	w.base += int32(n)
}
