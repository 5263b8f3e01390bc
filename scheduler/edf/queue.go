package edf

import (
	"cmp"
	"math"
	"slices"

	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/backlog"
)

// A queue holds the running jobs in the order in which they get slots.
type queue struct {
	jobs  []*entry
	needy [2]waiting // jobs that could start a task within their slots
	eager [2]waiting // jobs that could start a task if they had no slot limit
	bySeq ordered.Window[entry]
	spare []*entry // entries for reuse
}

// waiting holds jobs, grouped by the number of slots that each of their tasks takes.
type waiting = backlog.List[*entry, int32]

// An entry is a running job. job.Map and job.Reduce index its arrays.
type entry struct {
	seq      int32
	deadline int64 // ms since the Unix epoch; MaxInt64 = none
	priority job.Priority
	submit   int64

	sized bool     // slots is valid; a job without a size may use all slots
	once  bool     // only changes to the cluster affect the size
	slots [2]int32 // (SM, SR) of SIM section V-A
	width [2]int32 // slots that a task takes
	needy [2]bool  // in queue.needy
	eager [2]bool  // in queue.eager
}

// compare orders jobs by deadline, then by priority, submission, and sequence number. Jobs without
// a deadline come last.
func compare(a, b *entry) int {
	return cmp.Or(cmp.Compare(a.deadline, b.deadline), cmp.Compare(b.priority, a.priority),
		cmp.Compare(a.submit, b.submit), cmp.Compare(a.seq, b.seq))
}

func newQueue() queue {
	q := queue{}
	for k := range q.needy {
		q.needy[k].Compare, q.eager[k].Compare = compare, compare
	}
	return q
}

func (q *queue) clear() {
	clear(q.jobs)
	q.jobs = q.jobs[:0]
	q.bySeq.Clear()
	for k := range q.needy {
		q.needy[k].Clear()
		q.eager[k].Clear()
	}
}

func (q *queue) add(j *scheduler.Job) *entry {
	x := new(entry)
	if n := len(q.spare); n > 0 {
		x, q.spare = q.spare[n-1], q.spare[:n-1]
	}
	*x = entry{seq: j.Seq, deadline: j.Spec.Deadline, priority: j.Priority, submit: j.Submit, width: j.Width}
	if x.deadline == 0 {
		x.deadline = math.MaxInt64
	}
	i, _ := slices.BinarySearchFunc(q.jobs, x, compare)
	q.jobs = slices.Insert(q.jobs, i, x)
	q.bySeq.Put(j.Seq, x)
	return x
}

// maxSpare limits the number of entries kept for reuse.
const maxSpare = 1000

func (q *queue) remove(seq int32) {
	x := q.bySeq.Get(seq)
	if x == nil {
		return
	}
	for k := range job.TaskType(2) {
		q.list(x, k, false, false)
	}
	i, _ := slices.BinarySearchFunc(q.jobs, x, compare)
	q.jobs = slices.Delete(q.jobs, i, i+1)
	q.bySeq.Delete(seq)
	if len(q.spare) < maxSpare {
		q.spare = append(q.spare, x)
	}
}

// place updates the lists of needy and eager jobs according to the tasks that the job could start
// now.
func (q *queue) place(x *entry, j *scheduler.Job) {
	for k := range job.TaskType(2) {
		wants := j.Wants(k)
		q.list(x, k, wants && (!x.sized || j.Running[k] < x.attempts(k)), wants)
	}
}

func (q *queue) list(x *entry, k job.TaskType, needy, eager bool) {
	q.needy[k].Set(x, x.width[k], &x.needy[k], needy)
	q.eager[k].Set(x, x.width[k], &x.eager[k], eager)
}

// attempts returns how many attempts fit into the job's slots, but at least one. Otherwise a job
// whose tasks are wider than its slots would never end.
func (x *entry) attempts(k job.TaskType) int32 {
	return max(1, x.slots[k]/max(1, x.width[k]))
}
