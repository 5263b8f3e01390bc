package jobtracker

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// SetSpeculator activates a speculation rule; nil disables speculation. The rule is a policy whose
// plan launches only second attempts of running tasks. The machine calls it after the main policy
// if the tracker has room left and a running job allows speculation. The first attempt to succeed
// wins. The machine kills the other one and ignores its counters.
func (m *Machine) SetSpeculator(p scheduler.Policy) {
	m.speculator = p
	if p != nil {
		p.Reset(m)
	}
}

// Speculator returns the active speculation rule, or nil.
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

// speculation implements scheduler.Plan for the speculator.
type speculation Machine

// Launch implements scheduler.Plan. It starts a second attempt of a task if the job allows
// speculation and the tracker has not tried the task. It does not start a second attempt in
// skipping mode, because each attempt has a different plan.
func (s *speculation) Launch(id job.Task, handle int32, slot job.TaskType) bool {
	m := (*Machine)(s)
	j, k := m.task(id)
	t := m.trackers.Get(handle)
	if k == nil || t == nil || k.state != job.TaskRunning || k.live != 1 || !j.view.Spec.Speculative(id.Type) ||
		j.skips(k, id.Type) || m.tried(k, t) {
		return false
	}
	return m.launch(id, handle, slot)
}

// Kill implements scheduler.Plan.
func (s *speculation) Kill(id job.Attempt, why string) bool { return (*Machine)(s).Kill(id, why) }

// tried reports whether any attempt of a task ran on a tracker with the same name.
func (m *Machine) tried(k *task, t *tracker) bool {
	for _, a := range k.attempts() {
		if m.trackers.Get(a.view.Tracker).who == t.who {
			return true
		}
	}
	return false
}
