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
	spec    job.Spec      // what view.Spec points to
	times   replay.Times
	tasks   [2][]place         // allocated at the first launch
	tried   map[job.Task]int32 // number of failed and killed attempts of a task; absent = 0
	pending [2]int32           // waiting tasks, regardless of slow start
	from    [2]int32           // position in starting order before which no task waits
	order   []int32            // starting order of maps; nil means by index
	oldest  [2]place           // running task that started first, or waiting if none runs
	newest  [2]place
	need    int32 // number of maps that must succeed before reduces may start
	result  *trace.JobResult
}

// place is the state of a task, or the place of a running task in the pool.
type place int32

const (
	waiting   place = 0
	succeeded place = -1
)

// task is a running task.
type task struct {
	attempt scheduler.Attempt
	end     uint64 // the attempt's end in the queue (ending.key); 0 = not in the queue
	before  place  // doubly linked list of running tasks in start order, or of unused tasks; waiting ends it
	after   place
	fails   bool // the attempt will fail
	filler  bool // the task is a reduce that waits for the last map, with an unknown end
}

// pool holds the running tasks. It reuses the memory of those that have ended. Numbers instead of
// pointers halve the tables of jobs and keep the garbage collector out of them. A task does not move,
// because policies have pointers to attempts.
type pool struct {
	blocks []*[blockTasks]task
	spare  place // first unused task; waiting = none
}

const blockTasks = 256

func (p *pool) at(i place) *task { return &p.blocks[uint32(i)/blockTasks][uint32(i)%blockTasks] }

// take returns an unused task, without an attempt, and its place.
func (p *pool) take() (*task, place) {
	if p.spare == waiting {
		p.grow()
	}
	i := p.spare
	t := p.at(i)
	p.spare = t.after
	*t = task{}
	return t, i
}

// grow adds a block of unused tasks. Place 0 stays unused, because it means waiting.
func (p *pool) grow() {
	first := place(len(p.blocks) * blockTasks)
	p.blocks = append(p.blocks, new([blockTasks]task))
	for i := first + blockTasks - 1; i >= max(1, first); i-- {
		p.free(i)
	}
}

func (p *pool) free(i place) {
	p.at(i).after = p.spare
	p.spare = i
}

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
		for tasks[j.order[at]] != waiting {
			at++
		}
		j.from[typ] = at
		return j.order[at], true
	}
	for tasks[at] != waiting {
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
func (j *jobState) table(typ job.TaskType) []place {
	if j.tasks[typ] == nil {
		maps := j.view.Tasks[job.Map]
		all := make([]place, maps+j.view.Tasks[job.Reduce])
		j.tasks = [2][]place{all[:maps:maps], all[maps:]}
	}
	return j.tasks[typ]
}

// runs returns the task of the attempt, or nil if the attempt is not running.
func (e *engine) runs(j *jobState, id job.Attempt) *task {
	if id.Type > job.Reduce || id.Index < 0 || int(id.Index) >= len(j.tasks[id.Type]) {
		return nil
	}
	if i := j.tasks[id.Type][id.Index]; i > 0 && e.pool.at(i).attempt.ID == id {
		return e.pool.at(i)
	}
	return nil
}

// link appends the task at place i to the list of running tasks of its type.
func (e *engine) link(j *jobState, t *task, i place) {
	typ := t.attempt.ID.Type
	t.before = j.newest[typ]
	if t.before == waiting {
		j.oldest[typ] = i
	} else {
		e.pool.at(t.before).after = i
	}
	j.newest[typ] = i
}

func (e *engine) unlink(j *jobState, t *task) {
	typ := t.attempt.ID.Type
	if t.before == waiting {
		j.oldest[typ] = t.after
	} else {
		e.pool.at(t.before).after = t.after
	}
	if t.after == waiting {
		j.newest[typ] = t.before
	} else {
		e.pool.at(t.after).before = t.before
	}
}
