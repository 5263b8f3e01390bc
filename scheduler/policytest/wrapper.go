package policytest

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// A wrapper forwards all calls of the machine to another policy.
type wrapper struct{ scheduler.Policy }

func (w *wrapper) inner() scheduler.Policy { return w.Policy }

// unwrap returns the policy without a wrapper.
func unwrap(p scheduler.Policy) scheduler.Policy {
	if w, ok := p.(interface{ inner() scheduler.Policy }); ok {
		return w.inner()
	}
	return p
}

// Inherit implements scheduler.Heir.
func (w *wrapper) Inherit(v scheduler.View, old scheduler.Policy) { inherit(v, w.Policy, unwrap(old)) }

// inherit lets the policy take over the state of an old one if it is a scheduler.Heir.
func inherit(v scheduler.View, p, old scheduler.Policy) {
	if h, ok := p.(scheduler.Heir); ok {
		h.Inherit(v, old)
	}
}

// LendsSlots implements scheduler.Lender.
func (w *wrapper) LendsSlots() bool {
	l, ok := w.Policy.(scheduler.Lender)
	return ok && l.LendsSlots()
}

// Admit implements scheduler.Admitter.
func (w *wrapper) Admit(v scheduler.View, s *job.Spec) error {
	if a, ok := w.Policy.(scheduler.Admitter); ok {
		return a.Admit(v, s)
	}
	return nil
}

// UsesContainers implements scheduler.ContainerUser.
func (w *wrapper) UsesContainers() bool { return scheduler.UsesContainers(w.Policy) }

// Groups implements scheduler.Grouper. Without groups, the machine treats queues as labels.
func (w *wrapper) Groups(v scheduler.View, buf []scheduler.Group) []scheduler.Group {
	if g, ok := w.Policy.(scheduler.Grouper); ok {
		return g.Groups(v, buf)
	}
	return buf
}

// GroupOf implements scheduler.Grouper.
func (w *wrapper) GroupOf(v scheduler.View, seq int32) string {
	if g, ok := w.Policy.(scheduler.Grouper); ok {
		return g.GroupOf(v, seq)
	}
	return ""
}
