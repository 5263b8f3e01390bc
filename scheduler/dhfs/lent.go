package dhfs

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
)

// lent counts the slots of each type that run tasks of the other type (currentBorrowedMapSlots and
// currentBorrowedReduceSlots of Algorithm 1).
type lent [2]int64

// reset discards the counts and counts the lent slots in the view.
func (l *lent) reset(v scheduler.View) {
	*l = lent{}
	var buf []*scheduler.Attempt
	for _, seq := range v.Jobs() {
		for k := range job.TaskType(2) {
			buf = v.Running(seq, k, buf[:0])
			for _, a := range buf {
				l.count(a, 1)
			}
		}
	}
}

func (l *lent) observe(v scheduler.View, e *event.Event) {
	sign := int64(1)
	switch e.Type {
	case event.AttemptStarted:
	case event.AttemptFinished:
		sign = -1
	default:
		return
	}
	if a := v.Attempt(e.Attempt); a != nil {
		l.count(a, sign)
	}
}

func (l *lent) count(a *scheduler.Attempt, sign int64) {
	if a.Slot <= job.Reduce && a.Slot != a.ID.Type {
		l[a.Slot] += sign * int64(max(1, a.Width))
	}
}
