package estimate

import (
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
)

// A History measures jobs from the ordered facts of a journal or job history. The zero History is
// empty.
type History struct {
	starts map[job.Attempt]int64
	jobs   map[int32]*[2][]*scheduler.Attempt // successful attempts
}

// Add processes the next fact.
func (h *History) Add(e *event.Event) {
	if h.jobs == nil {
		h.starts, h.jobs = map[job.Attempt]int64{}, map[int32]*[2][]*scheduler.Attempt{}
	}
	if e.Attempt.Type > job.Reduce {
		return
	}
	switch e.Type {
	case event.AttemptStarted:
		h.starts[e.Attempt] = e.Time
	case event.AttemptFinished:
		start, known := h.starts[e.Attempt]
		delete(h.starts, e.Attempt)
		if known && e.State == job.AttemptSucceeded {
			h.ended(&scheduler.Attempt{ID: e.Attempt, State: e.State, Start: start, Finish: e.Time, ShuffleDone: e.ShuffleDone,
				SortDone: e.SortDone})
		}
	case event.TaskReopened:
		if x := h.jobs[e.Job]; x != nil {
			x[job.Map] = slices.DeleteFunc(x[job.Map], func(a *scheduler.Attempt) bool { return a.ID == e.Attempt })
		}
	}
}

func (h *History) ended(a *scheduler.Attempt) {
	x := h.jobs[a.ID.Job]
	if x == nil {
		x = new([2][]*scheduler.Attempt)
		h.jobs[a.ID.Job] = x
	}
	x[a.ID.Type] = append(x[a.ID.Type], a)
}

// Profile returns the job's measured profile. It returns the zero Profile if no task of the job has
// succeeded.
func (h *History) Profile(seq int32) Profile {
	x := h.jobs[seq]
	if x == nil {
		return Profile{}
	}
	m := Of(x[job.Map], x[job.Reduce])
	return m.Profile()
}
