package daemon

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler/estimate"
)

// forecast predicts when jobs end. The prediction comes from the policy if the policy makes one.
// Otherwise, it is based on the durations of finished tasks and the job's current slots. Only the
// owner's goroutine uses it.
type forecast struct {
	estimate.Predictor
	made map[int32]prediction // the latest predictions for jobs with many running attempts
}

// prediction is the expected end of a job, or 0, and when it was predicted, in milliseconds since
// the epoch.
type prediction struct{ finish, at int64 }

// A prediction looks at every running attempt. Hundreds of clients can ask for the status of the
// same job every second, so the prediction for a job with at least manyRunning attempts is repeated
// for keepPrediction ms.
const (
	manyRunning    = 1000
	keepPrediction = 1000
)

func newForecast(m *jobtracker.Machine) *forecast {
	f := &forecast{*estimate.NewPredictor(estimate.NewLearner()), map[int32]prediction{}}
	f.Learner.Reset(m)
	return f
}

func (f *forecast) fact(m *jobtracker.Machine, e *event.Event) {
	f.Learner.Observe(m, e)
	if e.Type == event.JobFinished {
		delete(f.made, e.Job)
	}
}

// finish returns the expected end of a job in milliseconds since the epoch. 0 means that the job
// has ended or that there is no prediction.
func (f *forecast) finish(m *jobtracker.Machine, seq int32) int64 {
	j := m.Job(seq)
	if j == nil || j.State.Terminal() {
		return 0
	}
	if j.Running[job.Map]+j.Running[job.Reduce] < manyRunning {
		return f.predict(m, seq)
	}
	p, ok := f.made[seq]
	if !ok || m.Now()-p.at >= keepPrediction {
		p = prediction{f.predict(m, seq), m.Now()}
		f.made[seq] = p
	}
	return p.finish
}

func (f *forecast) predict(m *jobtracker.Machine, seq int32) int64 {
	at, ok := f.Expect(m, m.Policy(), seq)
	if !ok {
		return 0
	}
	return at
}
