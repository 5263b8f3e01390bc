package edf

import (
	"cmp"
	"math"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// A queue holds the running jobs in the order in which they get slots.
type queue struct {
	jobs  []*entry
	bySeq map[int32]*entry
	spare []*entry // entries for reuse
}

// An entry is a running job. job.Map and job.Reduce index its arrays.
type entry struct {
	seq      int32
	deadline int64 // ms since the Unix epoch; MaxInt64 = none
	priority job.Priority
	submit   int64

	sized bool     // slots is valid; a job without a size may use all slots
	once  bool     // only changes to the cluster affect the size
	slots [2]int32 // (SM, SR) of SIM section V-A
	need  [2]int32 // attempts that could start now within slots
	want  [2]int32 // attempts that could start now without the limit of slots
}

// compare orders jobs by deadline, then by priority, submission, and sequence number. Jobs without
// a deadline come last.
func compare(a, b *entry) int {
	return cmp.Or(cmp.Compare(a.deadline, b.deadline), cmp.Compare(b.priority, a.priority),
		cmp.Compare(a.submit, b.submit), cmp.Compare(a.seq, b.seq))
}

func newQueue() queue { return queue{bySeq: map[int32]*entry{}} }

func (q *queue) clear() {
	clear(q.jobs)
	q.jobs = q.jobs[:0]
	clear(q.bySeq)
}

func (q *queue) add(j *scheduler.Job) *entry {
	x := new(entry)
	if n := len(q.spare); n > 0 {
		x, q.spare = q.spare[n-1], q.spare[:n-1]
	}
	*x = entry{seq: j.Seq, deadline: j.Spec.Deadline, priority: j.Priority, submit: j.Submit}
	if x.deadline == 0 {
		x.deadline = math.MaxInt64
	}
	i, _ := slices.BinarySearchFunc(q.jobs, x, compare)
	q.jobs = slices.Insert(q.jobs, i, x)
	q.bySeq[j.Seq] = x
	return x
}

// maxSpare limits the number of entries kept for reuse.
const maxSpare = 1000

func (q *queue) remove(seq int32) {
	x := q.bySeq[seq]
	if x == nil {
		return
	}
	i, _ := slices.BinarySearchFunc(q.jobs, x, compare)
	q.jobs = slices.Delete(q.jobs, i, i+1)
	delete(q.bySeq, seq)
	if len(q.spare) < maxSpare {
		q.spare = append(q.spare, x)
	}
}

// needs returns how many more attempts the job may start within its slots. wants ignores the slots.
func (x *entry) needs(k job.TaskType) int32 { return x.need[k] }
func (x *entry) wants(k job.TaskType) int32 { return x.want[k] }

// count updates the numbers of attempts that could start.
func (x *entry) count(j *scheduler.Job) {
	for k := range job.TaskType(2) {
		x.want[k] = 0
		if j.Wants(k) {
			x.want[k] = j.Pending[k]
			if limit := limitOf(j.Spec, k); limit > 0 {
				x.want[k] = min(x.want[k], limit-j.Running[k])
			}
		}
		x.need[k] = x.want[k]
		if x.sized {
			x.need[k] = max(0, min(x.want[k], x.attempts(k, j)-j.Running[k]))
		}
	}
}

// attempts returns how many attempts fit into the job's slots, but at least one. Otherwise a job
// whose tasks are wider than its slots would never end.
func (x *entry) attempts(k job.TaskType, j *scheduler.Job) int32 {
	return max(1, x.slots[k]/max(1, j.Width[k]))
}

func limitOf(s *job.Spec, k job.TaskType) int32 {
	if k == job.Map {
		return s.MapLimit
	}
	return s.ReduceLimit
}
