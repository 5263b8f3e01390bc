package jobtracker

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/skip"
)

// skips tells whether the next attempt of a task runs in skipping mode.
func (j *jobState) skips(k *task, typ job.TaskType) bool {
	s := j.view.Spec
	return typ <= job.Reduce && s.Skip(typ) > 0 && k.failures > 0 && k.failures >= s.SkipAfter
}

// skipPlan gives what the next attempt of a task leaves out; nil = it does not run in skipping mode.
func (j *jobState) skipPlan(k *task, typ job.TaskType) *skip.Plan {
	if !j.skips(k, typ) {
		return nil
	}
	p := skip.Plan{}
	if k.skip != nil {
		p = k.skip.Plan()
	}
	return &p
}

// tests tells whether the attempt is to find out which half of a range is bad.
func (a *attempt) tests() bool { return a.plan != nil && a.plan.Test }

// learn draws what a failed attempt in skipping mode tells of the task's bad records.
func (j *jobState) learn(k *task, a *attempt, e *event.Event) {
	if a.plan == nil {
		return
	}
	if k.skip == nil {
		k.skip = &skip.State{}
	}
	most := j.view.Spec.Skip(e.Attempt.Type)
	if e.N != 0 {
		k.skip.Passed(most)
	} else {
		k.skip.Failed(e.Range, most)
	}
}

// passTest ends a test of skipping that got through. As in Hadoop that counts as a failed attempt, for it has no output.
func (m *Machine) passTest(a *attempt) {
	m.endFailed(a, failure.User, "a test of skipping: these records are good, the bad ones are among the others", true)
}

// SkipPlan tells what a running attempt leaves out; ok is false if it does not run, or not in skipping mode. The plan must not be
// changed.
func (m *Machine) SkipPlan(id job.Attempt) (p *skip.Plan, ok bool) {
	_, _, a := m.attempt(id)
	if a == nil || a.over() || a.plan == nil {
		return nil, false
	}
	return a.plan, true
}
