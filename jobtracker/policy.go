package jobtracker

import (
	"errors"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
)

// SetPolicy puts another policy in place; it indexes the present state. A driver that serves uses InSetPolicy instead, which is
// journaled and lets the new policy inherit from the old one.
func (m *Machine) SetPolicy(p scheduler.Policy) {
	m.policy, m.containers = p, usesContainers(p)
	p.Reset(m)
}

func usesContainers(p scheduler.Policy) bool {
	c, ok := p.(scheduler.ContainerUser)
	return ok && c.UsesContainers()
}

// changePolicy puts another policy in place while jobs run. What runs goes on as it is, but for tasks in slots of the other kind if
// the new policy does not lend. Trackers with room are woken: the new policy may place what the old one held back.
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

// takeBackSlots kills the attempts that run in slots of the other kind, unless the policy lends slots itself: reduces in them could
// keep the very map waiting that they need once more.
func (m *Machine) takeBackSlots() {
	if l, ok := m.policy.(scheduler.Lender); ok && l.LendsSlots() {
		return
	}
	var lent []job.Attempt
	for _, seq := range m.running {
		for k, live := range m.jobs[seq].live {
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

// admit asks a policy with a say in it whether a job may come in.
func (m *Machine) admit(s *job.Spec) *failure.Error {
	a, ok := m.policy.(scheduler.Admitter)
	if !ok {
		return nil
	}
	return asFailure(a.Admit(m, s), "submit job", s.Name)
}

// forbids refuses an input whose user may not change the job, and tells whether it did.
func (m *Machine) forbids(in *Input, j *jobState, op string) bool {
	a, ok := m.policy.(scheduler.Admitter)
	if !ok || in.User == "" || in.User == j.view.Spec.User {
		return false
	}
	id := job.ID{Cluster: m.cluster, Seq: j.view.Seq}.String()
	err := asFailure(a.Administer(m, j.view.Seq, in.User), op, id)
	if err != nil {
		m.refuse(in, err)
	}
	return err != nil
}

// asFailure keeps a policy's own classification of an error; what has none is a lack of permission.
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
