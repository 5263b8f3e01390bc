package estimate

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
)

// Learner measures running jobs from the facts that a policy observes. What it knows is an index of what the View shows: one
// that was reset knows the same. It is used by one goroutine.
type Learner struct {
	jobs  map[int32]*learned
	spare []*learned
	buf   [2][]*scheduler.Attempt
}

// learned is what is known of a running job.
type learned struct {
	prior   Profile // of its configuration
	measure Measure
}

// NewLearner makes a Learner that knows no job.
func NewLearner() *Learner { return &Learner{jobs: map[int32]*learned{}} }

// Reset forgets everything and measures what v shows.
func (l *Learner) Reset(v scheduler.View) {
	clear(l.jobs)
	for _, seq := range v.Jobs() {
		l.measure(v, seq)
	}
}

// Observe hears a fact right after it was applied to v.
func (l *Learner) Observe(v scheduler.View, e *event.Event) {
	switch e.Type {
	case event.JobStarted, event.TaskReopened: // of a reopened map the duration no longer counts
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
	x, a := l.jobs[id.Job], v.Attempt(id)
	switch {
	case x == nil || a == nil:
	case id.Type == job.Map:
		x.measure.Map(a.Start, a.Finish)
	case id.Type == job.Reduce:
		x.measure.Reduce(a.Start, a.SortDone, a.Finish)
	}
}

// measure learns of a job from what the View shows of it.
func (l *Learner) measure(v scheduler.View, seq int32) {
	x := l.jobs[seq]
	if x == nil {
		x = l.fresh()
		l.jobs[seq] = x
		x.prior = Given(v.Job(seq).Spec)
	}
	for k := range l.buf {
		l.buf[k] = v.Ended(seq, job.TaskType(k), l.buf[k][:0])
	}
	x.measure = Of(l.buf[job.Map], l.buf[job.Reduce])
	for k := range l.buf {
		clear(l.buf[k]) // attempts are the View's
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

// maxSpare bounds how much memory the end of many jobs leaves behind.
const maxSpare = 1000

func (l *Learner) forget(seq int32) {
	x := l.jobs[seq]
	if x == nil {
		return
	}
	delete(l.jobs, seq)
	if len(l.spare) < maxSpare {
		l.spare = append(l.spare, x)
	}
}

// Profile gives what is known of a running job: what was measured, together with the profile that it came with. It is zero if
// nothing is known.
func (l *Learner) Profile(seq int32) Profile {
	x := l.jobs[seq]
	if x == nil {
		return Profile{}
	}
	return x.measure.Blend(x.prior)
}

// Given gives the profile that a running job came with, zero if there is none.
func (l *Learner) Given(seq int32) Profile {
	if x := l.jobs[seq]; x != nil {
		return x.prior
	}
	return Profile{}
}

// Measured gives how many tasks of a running job were measured.
func (l *Learner) Measured(seq int32) [2]int32 {
	if x := l.jobs[seq]; x != nil {
		return x.measure.Counted()
	}
	return [2]int32{}
}

// Given gives the profile that a job came with, zero if there is none or it cannot be read (it is refused at submission).
func Given(s *job.Spec) Profile {
	text, _ := s.Get(Key)
	p, err := Parse(text)
	if err != nil {
		return Profile{}
	}
	return p
}

// mapEnd gives the end of the last map that was measured.
func (l *Learner) mapEnd(seq int32) int64 {
	if x := l.jobs[seq]; x != nil {
		return x.measure.mapEnd
	}
	return 0
}

// LastEnd gives the time at which the last of the measured tasks of a running job ended, in milliseconds since the epoch; 0 =
// none has.
func (l *Learner) LastEnd(seq int32) int64 {
	if x := l.jobs[seq]; x != nil {
		return x.measure.end
	}
	return 0
}
