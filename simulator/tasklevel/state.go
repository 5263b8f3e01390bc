package tasklevel

import (
	"cmp"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/simulator/replay"
	"github.com/howdah/howdah/simulator/trace"
)

// jobState is a job that is not over.
type jobState struct {
	view    scheduler.Job // what policies see
	times   replay.Times
	tasks   [2][]task
	pending [2]int32 // tasks that wait, slow start or not
	from    [2]int32 // no task before it waits, in the order in which tasks start
	order   []int32  // in which maps start, nil = by index
	oldest  [2]int32 // running task that started first, none = no task
	newest  [2]int32
	ended   [2][]*scheduler.Attempt // attempts before the last of their tasks: failed or killed
	need    int32                   // maps that must be done before reduces start
	result  trace.JobResult
}

// task is one task with its present or last attempt.
type task struct {
	attempt scheduler.Attempt // N = -1 before the first
	state   job.TaskState
	order   uint64 // of its end in the queue
	fails   bool   // the attempt will fail
	filler  bool   // a reduce that waits for the last map: when it ends is not known yet
	before  int32  // running tasks by start
	after   int32
}

const none = -1

func (j *jobState) mapsDone() bool { return j.view.Finished[job.Map] == j.view.Tasks[job.Map] }

func (j *jobState) done() bool { return j.view.Finished == j.view.Tasks }

// byInput gives the order in which the real JobTracker would start maps that are all as far away: the largest input first,
// then by index. nil = by index.
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

// pick finds the waiting task that comes first.
func (j *jobState) pick(typ job.TaskType) (int32, bool) {
	if j.view.Pending[typ] == 0 {
		return 0, false
	}
	tasks, at := j.tasks[typ], j.from[typ]
	if typ == job.Map && j.order != nil {
		for tasks[j.order[at]].state != job.TaskPending {
			at++
		}
		j.from[typ] = at
		return j.order[at], true
	}
	for tasks[at].state != job.TaskPending {
		at++
	}
	j.from[typ] = at
	return at, true
}

// returned makes pick see a task again.
func (j *jobState) returned(typ job.TaskType, i int32) {
	if typ == job.Map && j.order != nil {
		i = 0
	}
	j.from[typ] = min(j.from[typ], i)
}

// link appends a task to the running ones.
func (j *jobState) link(typ job.TaskType, i int32) {
	t := &j.tasks[typ][i]
	t.before, t.after = j.newest[typ], none
	if t.before == none {
		j.oldest[typ] = i
	} else {
		j.tasks[typ][t.before].after = i
	}
	j.newest[typ] = i
}

func (j *jobState) unlink(typ job.TaskType, i int32) {
	t := &j.tasks[typ][i]
	if t.before == none {
		j.oldest[typ] = t.after
	} else {
		j.tasks[typ][t.before].after = t.after
	}
	if t.after == none {
		j.newest[typ] = t.before
	} else {
		j.tasks[typ][t.after].before = t.before
	}
}

// window holds the jobs that are not over, by number. Numbers only grow and old jobs end, so a slice that slides is enough
// and a look-up is an index.
type window struct {
	base int32 // number of the first
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
	w.jobs = w.jobs[n:] // append moves to a new array in time, so the old one does not stay
	w.base += int32(n)
}
