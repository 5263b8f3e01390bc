package jobtracker

import "github.com/howdah/howdah/scheduler"

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
