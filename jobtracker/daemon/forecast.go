package daemon

import (
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/estimate"
)

// forecast predicts when jobs end. The prediction comes from the policy if the policy makes one.
// Otherwise, it is based on the durations of finished tasks and the job's current slots. Only the
// owner's goroutine uses it.
type forecast struct{ estimate.Predictor }

func newForecast(m *jobtracker.Machine) *forecast {
	f := &forecast{*estimate.NewPredictor(estimate.NewLearner())}
	f.Learner.Reset(m)
	return f
}

func (f *forecast) fact(m *jobtracker.Machine, e *event.Event) { f.Learner.Observe(m, e) }

// finish returns the expected end of a job in milliseconds since the epoch. 0 means that the job
// has ended or that there is no prediction.
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
