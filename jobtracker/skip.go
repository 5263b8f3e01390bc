package jobtracker

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/skip"
)

// skips reports whether the next attempt of a task runs in skipping mode.
func (j *jobState) skips(k *task, typ job.TaskType) bool {
	s, failures := j.view.Spec, k.past().failures
	return typ <= job.Reduce && s.Skip(typ) > 0 && failures > 0 && failures >= s.SkipAfter
}

// skipPlan returns a plan of the records that the next attempt of a task must skip. It returns nil
// if the attempt will not run in skipping mode.
func (j *jobState) skipPlan(k *task, typ job.TaskType) *skip.Plan {
	if !j.skips(k, typ) {
		return nil
	}
	p := skip.Plan{}
	if known := k.past().skip; known != nil {
		p = known.Plan()
	}
	return &p
}

// tests reports whether the attempt is a test to determine which half of a range is bad.
func (a *attempt) tests() bool { return a.plan != nil && a.plan.Test }

// learn updates what is known about a task's bad records after an attempt in skipping mode has
// failed.
func (j *jobState) learn(k *task, a *attempt, e *event.Event) {
	if a.plan == nil {
		return
	}
	p := k.inTrouble()
	if p.skip == nil {
		p.skip = &skip.State{}
	}
	most := j.view.Spec.Skip(e.Attempt.Type)
	if e.N != 0 {
		p.skip.Passed(most)
	} else {
		p.skip.Failed(e.Range, most)
	}
}

// passTest ends an attempt that was a test in skipping mode and has run to completion. As in
// Hadoop, the attempt counts as failed because it has no output.
func (m *Machine) passTest(a *attempt) {
	m.endFailed(a, failure.User, "skipping test: these records are good; the bad ones are among the others", true)
}

// SkipPlan returns the records that a running attempt must skip. ok is false if the attempt is not
// running or not in skipping mode. The caller must not modify the plan.
func (m *Machine) SkipPlan(id job.Attempt) (p *skip.Plan, ok bool) {
	_, _, a := m.attempt(id)
	if a == nil || a.over() || a.plan == nil {
		return nil, false
	}
	return a.plan, true
}
