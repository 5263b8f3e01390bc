package daemon

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/estimate"
)

// forecast predicts when jobs end: as the policy says if it plans by deadlines, else from what finished tasks took and the
// slots that a job has now. It belongs to the owner's goroutine.
type forecast struct{ estimate.Predictor }

func newForecast(m *jobtracker.Machine) *forecast {
	f := &forecast{*estimate.NewPredictor(estimate.NewLearner())}
	f.Learner.Reset(m)
	return f
}

func (f *forecast) fact(m *jobtracker.Machine, e *event.Event) { f.Learner.Observe(m, e) }

// finish gives the expected end of a job in milliseconds since the epoch; 0 = it does not run, or nothing tells.
func (f *forecast) finish(m *jobtracker.Machine, seq int32) int64 {
	if j := m.Job(seq); j == nil || j.State.Terminal() {
		return 0
	}
	if g, ok := m.Policy().(scheduler.Goal); ok {
		if at, ok := g.Expect(m, seq); ok {
			return at
		}
	}
	at, ok := f.Finish(m, seq, estimate.Present(m, seq))
	if !ok {
		return 0
	}
	return at
}

// borrowed counts the running attempts of a job that sit in slots of the other kind.
func borrowed(m *jobtracker.Machine, seq int32) (n [2]int32) {
	var buf []*scheduler.Attempt
	for k := range n {
		buf = m.Running(seq, job.TaskType(k), buf[:0])
		for _, a := range buf {
			if isBorrowed(a) {
				n[k]++
			}
		}
	}
	return n
}

// isBorrowed tells whether an attempt takes a slot of the other kind.
func isBorrowed(a *scheduler.Attempt) bool { return a.Slot <= job.Reduce && a.Slot != a.ID.Type }
