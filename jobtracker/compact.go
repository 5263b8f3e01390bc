package jobtracker

import (
	"math"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// A simulated job can have a million finished tasks. Between two steps, the machine therefore
// replaces the course of most of them by remains, which take 40 instead of 144 bytes and contain no
// pointers. A real attempt has counters and keeps its course.

// remains is what there is to know about a task whose only attempt succeeded and needs no detail.
type remains struct {
	start        int64
	ran          int32 // time from start to end, in ms
	shuffled     int32 // time from start to ShuffleDone, in ms; -1 = unknown
	sorted       int32 // time from start to SortDone, in ms; -1 = unknown
	born, logged int32
	tracker      int32
	slot         job.TaskType
	locality     job.Locality
	phase        job.Phase
	width        uint8
}

// compacted is the course of all tasks of which only remains are left. It never changes.
var compacted = course{state: job.TaskSucceeded}

// remainsBlock is the number of tasks whose remains are allocated together.
const remainsBlock = 256

// remainsOf returns the remains of a compacted task.
func (j *jobState) remainsOf(typ job.TaskType, index int) *remains {
	return &j.remains[typ][index/remainsBlock][index%remainsBlock]
}

// compact replaces the courses of the tasks in m.ripe by remains, if nothing is lost.
func (m *Machine) compact() {
	for _, id := range m.ripe {
		if j := m.jobs.Get(id.Job); j != nil {
			j.compact(id.Type, int(id.Index))
		}
	}
	m.ripe = m.ripe[:0]
}

func (j *jobState) compact(typ job.TaskType, index int) {
	k := &j.tasks[typ][index]
	a := k.list[0]
	if k.state != job.TaskSucceeded || k.trouble != nil || a == nil {
		return
	}
	r, ok := a.remains()
	if !ok {
		return
	}
	n := len(j.tasks[typ])
	if j.remains[typ] == nil {
		j.remains[typ] = make([][]remains, (n+remainsBlock-1)/remainsBlock)
	}
	block := &j.remains[typ][index/remainsBlock]
	if *block == nil {
		*block = make([]remains, min(remainsBlock, n-index/remainsBlock*remainsBlock))
	}
	(*block)[index%remainsBlock] = r
	k.course = &compacted
}

// remains returns what there is to know about a successful attempt, the only one of its task. It
// returns false if that is more than remains can hold.
func (a *attempt) remains() (remains, bool) {
	v := &a.view
	if a.detail != &noDetail || a.kind != 0 || v.Width > math.MaxUint8 || v.ID.Type > job.Reduce {
		return remains{}, false
	}
	known := true
	since := func(at int64) int32 {
		known = known && at >= v.Start && at-v.Start <= math.MaxInt32
		return int32(at - v.Start)
	}
	r := remains{start: v.Start, ran: since(v.Finish), shuffled: -1, sorted: -1, born: a.born, logged: a.logged,
		tracker: v.Tracker, slot: v.Slot, locality: v.Locality, phase: v.Phase, width: uint8(v.Width)}
	if v.ShuffleDone != 0 {
		r.shuffled = since(v.ShuffleDone)
	}
	if v.SortDone != 0 {
		r.sorted = since(v.SortDone)
	}
	return r, known
}

// restored returns the course that a task had before the machine compacted it.
func (j *jobState) restored(typ job.TaskType, index int) *course {
	r, id := j.remainsOf(typ, index), job.Task{Job: j.view.Seq, Type: typ, Index: int32(index)}
	c := &course{state: job.TaskSucceeded, first: attempt{
		view: scheduler.Attempt{ID: job.Attempt{Task: id}, Tracker: r.tracker, Slot: r.slot, Width: int32(r.width),
			Locality: r.locality, State: job.AttemptSucceeded, Phase: r.phase, Progress: million, Start: r.start,
			Finish: r.start + int64(r.ran)},
		detail: &noDetail, born: r.born, logged: r.logged}}
	if r.shuffled >= 0 {
		c.first.view.ShuffleDone = r.start + int64(r.shuffled)
	}
	if r.sorted >= 0 {
		c.first.view.SortDone = r.start + int64(r.sorted)
	}
	c.list[0] = &c.first
	return c
}

// expand restores the course of a compacted task. It does nothing for other tasks.
func (j *jobState) expand(typ job.TaskType, index int) *task {
	k := &j.tasks[typ][index]
	if k.course == &compacted {
		k.course = j.restored(typ, index)
	}
	return k
}

// attempts returns the attempts of a task by number. Those of a compacted task are copies.
func (j *jobState) attempts(typ job.TaskType, index int) []*attempt {
	k := j.tasks[typ][index]
	if k.course == &compacted {
		return j.restored(typ, index).attempts()
	}
	return k.attempts()
}

// eachTracker calls f with the tracker of each attempt of the job.
func (j *jobState) eachTracker(f func(tracker int32)) {
	for typ := range j.tasks {
		for i := range j.tasks[typ] {
			k := &j.tasks[typ][i]
			if k.course == &compacted {
				f(j.remainsOf(job.TaskType(typ), i).tracker)
			}
			for _, a := range k.attempts() {
				f(a.view.Tracker)
			}
		}
	}
}
