package estimate

import (
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
)

// A Learner measures running jobs from the facts that a policy observes. Its state can be derived
// from the View, so Reset restores the same measurements. It is not safe for concurrent use.
type Learner struct {
	jobs  ordered.Window[learned]
	spare []*learned
	buf   [2][]*scheduler.Attempt
}

// learned holds the measurements of a running job.
type learned struct {
	prior   Profile // from the job's configuration
	measure Measure
}

// NewLearner returns a Learner without any jobs.
func NewLearner() *Learner { return &Learner{} }

// Reset drops all measurements and measures the jobs in v.
func (l *Learner) Reset(v scheduler.View) {
	l.jobs.Clear()
	for _, seq := range v.Jobs() {
		l.measure(v, seq)
	}
}

// Observe processes a fact. Call it right after the machine has applied the fact to v.
func (l *Learner) Observe(v scheduler.View, e *event.Event) {
	switch e.Type {
	case event.JobStarted, event.TaskReopened: // the duration of a reopened map no longer counts
		if j := v.Job(e.Job); j != nil && j.State == job.Running {
			l.measure(v, e.Job)
		}
	case event.AttemptFinished:
		if e.State == job.AttemptSucceeded {
			l.ended(v, e.Attempt)
		}
	case event.JobCommitting, event.JobAborting:
		l.forget(e.Job)
	}
}

func (l *Learner) ended(v scheduler.View, id job.Attempt) {
	x, a := l.jobs.Get(id.Job), v.Attempt(id)
	switch {
	case x == nil || a == nil:
	case id.Type == job.Map:
		x.measure.Map(a.Start, a.Finish)
	case id.Type == job.Reduce:
		x.measure.Reduce(a.Start, a.SortDone, a.Finish)
	}
}

// measure measures the job from the View, and replaces its earlier measurements.
func (l *Learner) measure(v scheduler.View, seq int32) {
	x := l.jobs.Get(seq)
	if x == nil {
		x = l.fresh()
		l.jobs.Put(seq, x)
		x.prior = Given(v.Job(seq).Spec)
	}
	for k := range l.buf {
		l.buf[k] = v.Ended(seq, job.TaskType(k), l.buf[k][:0])
	}
	x.measure = Of(l.buf[job.Map], l.buf[job.Reduce])
	for k := range l.buf {
		clear(l.buf[k]) // do not keep the View's attempts alive
	}
}

func (l *Learner) fresh() *learned {
	if n := len(l.spare); n > 0 {
		x := l.spare[n-1]
		l.spare = l.spare[:n-1]
		*x = learned{}
		return x
	}
	return new(learned)
}

// maxSpare limits the number of objects kept for reuse.
const maxSpare = 1000

func (l *Learner) forget(seq int32) {
	x := l.jobs.Get(seq)
	if x == nil {
		return
	}
	l.jobs.Delete(seq)
	if len(l.spare) < maxSpare {
		l.spare = append(l.spare, x)
	}
}

// Profile returns the profile of the running job: its measurements, blended with the profile from
// its configuration. The zero Profile means that nothing is known.
func (l *Learner) Profile(seq int32) Profile {
	x := l.jobs.Get(seq)
	if x == nil {
		return Profile{}
	}
	return x.measure.Blend(x.prior)
}

// Given returns the profile from the running job's configuration, or the zero Profile.
func (l *Learner) Given(seq int32) Profile {
	if x := l.jobs.Get(seq); x != nil {
		return x.prior
	}
	return Profile{}
}

// Measured returns the number of measured tasks of the running job, by type.
func (l *Learner) Measured(seq int32) [2]int32 {
	if x := l.jobs.Get(seq); x != nil {
		return x.measure.Counted()
	}
	return [2]int32{}
}

// Given returns the profile from a job's configuration. It is zero if the job has no profile or an
// invalid one. Submission rejects invalid profiles.
func Given(s *job.Spec) Profile {
	text, _ := s.Get(conf.JobProfile.Name)
	p, err := Parse(text)
	if err != nil {
		return Profile{}
	}
	return p
}

// MapEnd returns the end of the last measured map of the running job, as LastEnd does for all
// tasks.
func (l *Learner) MapEnd(seq int32) int64 {
	if x := l.jobs.Get(seq); x != nil {
		return x.measure.mapEnd
	}
	return 0
}

// LastEnd returns the end of the last measured task of the running job, in milliseconds since the
// Unix epoch. It returns 0 if no task has been measured.
func (l *Learner) LastEnd(seq int32) int64 {
	if x := l.jobs.Get(seq); x != nil {
		return x.measure.end
	}
	return 0
}
