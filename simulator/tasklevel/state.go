package tasklevel

import (
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
	from    [2]int32 // no task before it waits
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

// pick finds the waiting task of the lowest index.
func (j *jobState) pick(typ job.TaskType) (int32, bool) {
	if j.view.Pending[typ] == 0 {
		return 0, false
	}
	tasks := j.tasks[typ]
	i := j.from[typ]
	for tasks[i].state != job.TaskPending {
		i++
	}
	j.from[typ] = i
	return i, true
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
