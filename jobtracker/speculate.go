package jobtracker

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// SetSpeculator puts a rule of speculative execution in place; nil = none. It is a policy that hears what the policy hears and
// is asked after it, when the tracker still has room and some running job allows speculation. Its plan launches second
// attempts of running tasks and nothing else. The first of the two that succeeds wins; the other is killed and its counters
// are not counted.
func (m *Machine) SetSpeculator(p scheduler.Policy) {
	m.speculator = p
	if p != nil {
		p.Reset(m)
	}
}

// Speculator is the rule of speculative execution in place, nil = none.
func (m *Machine) Speculator() scheduler.Policy { return m.speculator }

func (m *Machine) offerSpeculation(t *tracker) {
	if m.maySpeculate(t) {
		m.speculator.Assign(m, t.view.Handle, (*speculation)(m))
	}
}

func (m *Machine) maySpeculate(t *tracker) bool {
	return m.speculator != nil && m.speculable > 0 && trackerWorks(t) && m.hasRoom(t)
}

func (m *Machine) tickSpeculator() {
	if m.speculator == nil {
		return
	}
	if at := m.speculator.NextDeadline(); at > 0 && at <= m.now {
		m.speculator.Tick(m, (*speculation)(m))
	}
}

// speculation is the speculator's plan.
type speculation Machine

// Launch implements scheduler.Plan: a task of which one attempt runs may get a second one, if its job allows it, on a tracker
// that has not tried it yet. In skipping mode each attempt has a purpose of its own: there is no second one.
func (s *speculation) Launch(id job.Task, handle int32, slot job.TaskType) bool {
	m := (*Machine)(s)
	j, k := m.task(id)
	t := m.trackers[handle]
	if k == nil || t == nil || k.state != job.TaskRunning || k.live != 1 || !j.view.Spec.Speculative(id.Type) || j.skips(k, id.Type) || m.tried(k, t) {
		return false
	}
	return m.launch(id, handle, slot)
}

// Kill implements scheduler.Plan.
func (s *speculation) Kill(id job.Attempt, why string) bool { return (*Machine)(s).Kill(id, why) }

// tried tells whether an attempt of a task was ever on a tracker of that name.
func (m *Machine) tried(k *task, t *tracker) bool {
	for _, a := range k.attempts {
		if m.trackers[a.view.Tracker].who == t.who {
			return true
		}
	}
	return false
}
