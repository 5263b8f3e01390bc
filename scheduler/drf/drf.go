// Package drf implements Dominant Resource Fairness (Ghodsi et al., NSDI 2011) over memory and
// cores. The MROrchestrator paper uses DRF as the scheduler of Mesos (section IV-C). The user with
// the smallest dominant share relative to weight gets the next task. A dominant share is the larger
// of a user's shares of memory and of cores. Tasks run in containers. PAPER.md lists symbols and
// deviations.
package drf

import (
	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/headroom"
)

// A Policy is a DRF scheduler.
type Policy struct {
	set    *settings
	guard  *headroom.Guard
	jobs   ordered.Window[entry]
	byName map[string]*user
	order  []*user // smallest dominant share first
	total  demand
	holds  []hold
}

// A demand is an amount of each resource.
type demand struct {
	memory int64 // MiB
	cores  int64
}

func (d demand) plus(o demand) demand  { return demand{d.memory + o.memory, d.cores + o.cores} }
func (d demand) minus(o demand) demand { return demand{d.memory - o.memory, d.cores - o.cores} }
func (d demand) times(n int32) demand  { return demand{d.memory * int64(n), d.cores * int64(n)} }
func (d demand) within(o demand) bool  { return d.memory <= o.memory && d.cores <= o.cores }
func demandOf(s *job.Spec, t job.TaskType) demand {
	return demand{int64(s.Memory(t)), int64(s.VCores(t))}
}

// New returns a scheduler with the settings from s.Conf. Errors are of kind Config.
func New(s scheduler.Setup) (scheduler.Policy, error) {
	set, err := read(s.Conf)
	if err != nil {
		return nil, err
	}
	g, err := headroom.New(s.Conf)
	if err != nil {
		return nil, err
	}
	return &Policy{set: set, guard: g, byName: map[string]*user{}}, nil
}

// Reset implements scheduler.Policy.
func (p *Policy) Reset(v scheduler.View) {
	p.guard.Reset(v)
	p.jobs.Clear()
	clear(p.byName)
	p.order, p.holds, p.total = nil, nil, demand{}
	for _, seq := range v.Jobs() {
		p.add(v.Job(seq))
	}
}

// Observe implements scheduler.Policy.
func (p *Policy) Observe(v scheduler.View, e *event.Event) {
	p.guard.Observe(v, e)
	switch e.Type {
	case event.TrackerLost, event.TrackerBlacklisted, event.TrackerChanged, event.TrackerDraining:
		p.releaseTracker(e.Tracker)
		return
	}
	if e.Job == 0 {
		return
	}
	j, x := v.Job(e.Job), p.jobs.Get(e.Job)
	switch {
	case j == nil || j.State != job.Running:
		p.remove(x)
	case x == nil:
		p.add(j)
	case e.Type == event.JobMoved && x.user.name != p.set.groupOf(j.Spec, j.Seq):
		p.remove(x)
		p.add(j)
	case e.Type == event.JobPriorityChanged:
		x.list([2]bool{})
		x.priority = j.Priority
		p.update(x, j)
	default:
		p.update(x, j)
	}
}

// NextDeadline implements scheduler.Policy.
func (p *Policy) NextDeadline() int64 { return p.guard.NextDeadline() }

// Tick implements scheduler.Policy.
func (p *Policy) Tick(v scheduler.View, plan scheduler.Plan) { p.guard.Tick(v, plan) }

// UsesContainers implements scheduler.ContainerUser.
func (p *Policy) UsesContainers() bool { return true }

// IgnoresProgress implements scheduler.ProgressIgnorer.
func (p *Policy) IgnoresProgress() bool { return true }

// Inherit implements scheduler.Heir. Users keep the trackers that they hold, unless the new settings
// disable holds.
func (p *Policy) Inherit(v scheduler.View, old scheduler.Policy) {
	o, ok := old.(*Policy)
	if !ok || !p.set.hold {
		return
	}
	for _, h := range o.holds {
		if u := p.byName[h.user.name]; u != nil && v.Tracker(h.tracker) != nil {
			p.holds = append(p.holds, hold{h.tracker, u, h.at})
		}
	}
}
