// Package ngm implements the scheduler of NextGen MapReduce as of 2012 (Hadoop 0.23, the baseline
// in MROrchestrator's section IV-C). It is the Capacity Scheduler with containers instead of slots.
// A container has the memory that its task requests. Cores do not count. PAPER.md lists deviations.
package ngm

import (
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/capacity"
	"github.com/howdah/howdah/scheduler/headroom"
)

// A Policy combines the queues of package capacity, which count memory, with headroom for maps.
type Policy struct {
	*capacity.Policy
	guard *headroom.Guard
}

// New returns a scheduler with the settings and files of the Capacity Scheduler.
func New(s scheduler.Setup) (scheduler.Policy, error) {
	g, err := headroom.New(s.Conf)
	if err != nil {
		return nil, err
	}
	p, err := capacity.NewMemory(s, g.Allows)
	if err != nil {
		return nil, err
	}
	return &Policy{p, g}, nil
}

// Reset implements scheduler.Policy.
func (p *Policy) Reset(v scheduler.View) {
	p.guard.Reset(v)
	p.Policy.Reset(v)
}

// Observe implements scheduler.Policy.
func (p *Policy) Observe(v scheduler.View, e *event.Event) {
	p.guard.Observe(v, e)
	p.Policy.Observe(v, e)
}

// NextDeadline implements scheduler.Policy.
func (p *Policy) NextDeadline() int64 { return p.guard.NextDeadline() }

// Tick implements scheduler.Policy.
func (p *Policy) Tick(v scheduler.View, plan scheduler.Plan) { p.guard.Tick(v, plan) }

// UsesContainers implements scheduler.ContainerUser.
func (p *Policy) UsesContainers() bool { return true }

// Inherit implements scheduler.Heir.
func (p *Policy) Inherit(v scheduler.View, old scheduler.Policy) {
	if o, ok := old.(*Policy); ok {
		p.Policy.Inherit(v, o.Policy)
	}
}
