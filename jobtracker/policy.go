package jobtracker

import (
	"errors"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
)

// SetPolicy activates a policy and resets it to the current state. After Recovered, a driver sends
// InSetPolicy instead, which records the change in the journal and lets the new policy inherit from
// the old one.
func (m *Machine) SetPolicy(p scheduler.Policy) {
	m.policy, m.containers = p, scheduler.UsesContainers(p)
	for _, h := range m.live {
		m.noteRoom(m.trackers.Get(h))
	}
	p.Reset(m)
}

// changePolicy activates a new policy while jobs are running. If the new policy does not lend
// slots, changePolicy kills attempts in slots of the other type; all other attempts continue. It
// wakes trackers with room because the new policy can place tasks that the old one held back.
func (m *Machine) changePolicy(in *Input) {
	if in.Policy == nil {
		m.refuse(in, failure.New(failure.Usage, "change the scheduler", "", errors.New("no scheduler given")))
		return
	}
	old := m.policy
	m.SetPolicy(in.Policy)
	if h, ok := in.Policy.(scheduler.Heir); ok {
		h.Inherit(m, old)
	}
	m.schedulerChanged(in, 0)
	m.takeBackSlots()
}

// takeBackSlots kills the attempts in slots of the other type, unless the active policy lends
// slots. Otherwise, reduces in map slots could block a map whose output they need again.
func (m *Machine) takeBackSlots() {
	if l, ok := m.policy.(scheduler.Lender); ok && l.LendsSlots() {
		return
	}
	var lent []job.Attempt
	for _, seq := range m.running {
		for k, live := range m.jobs.Get(seq).live {
			for _, a := range live {
				if a.Slot != job.Container && a.Slot != job.TaskType(k) {
					lent = append(lent, a.ID)
				}
			}
		}
	}
	for _, id := range lent {
		m.Kill(id, "the new scheduler lends no slots")
	}
}

func (m *Machine) changeSpeculator(in *Input) {
	old := m.speculator
	m.SetSpeculator(in.Policy)
	if h, ok := in.Policy.(scheduler.Heir); ok && old != nil {
		h.Inherit(m, old)
	}
	m.schedulerChanged(in, 1)
}

func (m *Machine) schedulerChanged(in *Input, which int64) {
	e := m.fact(event.SchedulerChanged)
	e.N, e.Text = which, clip(in.Text)
	if in.Setup != nil {
		e.Name = in.Setup.Name
	}
	m.emit(e)
	m.grew = true
	m.reply(in, Output{})
}

// admit returns an error if the policy is a scheduler.Admitter and rejects the job.
func (m *Machine) admit(s *job.Spec) *failure.Error {
	a, ok := m.policy.(scheduler.Admitter)
	if !ok {
		return nil
	}
	return asFailure(a.Admit(m, s), "submit job", s.Name)
}

// asFailure converts a policy's error. It keeps the kind of a classified error; an unclassified
// error becomes kind Permission.
func asFailure(err error, op, on string) *failure.Error {
	var f *failure.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &f):
		return f
	}
	return failure.New(failure.Permission, op, on, err)
}
