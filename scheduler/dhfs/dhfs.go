// Package dhfs implements schedulers that lend idle slots of one type to tasks of the other (Tang,
// Lee, He: "Dynamic Slot Allocation Technique for MapReduce Clusters", CLUSTER 2013). PAPER.md maps
// the paper to the code.
//
//   - pi-dhfs (pool-independent) is fair within each phase. Idle slots of one phase go to the other
//     (Algorithm 1).
//   - pd-dhfs (pool-dependent) lets each pool use its share of all slots for any of its tasks first
//     (Algorithm 2).
//   - fifo-dhfs is Algorithm 1 with jobs in order of priority and submission.
package dhfs

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/fair"
	"github.com/howdah/howdah/scheduler/headroom"
	"github.com/howdah/howdah/scheduler/pool"
)

// A Policy is one of the three schedulers.
type Policy struct {
	set    *pool.Settings
	opt    options
	x      *pool.Index
	lent   lent
	guard  *headroom.Guard
	assign func(*Policy, scheduler.View, *beat)
	b      beat
}

// NewPoolIndependent returns the pi-dhfs policy.
func NewPoolIndependent(s scheduler.Setup) (scheduler.Policy, error) {
	return overPools(s, (*Policy).poolIndependent)
}

// NewPoolDependent returns the pd-dhfs policy.
func NewPoolDependent(s scheduler.Setup) (scheduler.Policy, error) {
	return overPools(s, (*Policy).poolDependent)
}

// NewFIFO returns the fifo-dhfs policy.
func NewFIFO(s scheduler.Setup) (scheduler.Policy, error) {
	return build(s, pool.Single(pool.FIFO), func(*job.Spec) string { return pool.DefaultName }, (*Policy).poolIndependent)
}

func overPools(s scheduler.Setup, assign func(*Policy, scheduler.View, *beat)) (scheduler.Policy, error) {
	set, err := pool.Read(s)
	if err != nil {
		return nil, err
	}
	return build(s, set, set.NameOf, assign)
}

func build(s scheduler.Setup, set *pool.Settings, poolOf func(*job.Spec) string,
	assign func(*Policy, scheduler.View, *beat)) (scheduler.Policy, error) {
	opt, err := readOptions(s.Conf)
	if err != nil {
		return nil, err
	}
	guard, err := headroom.New(s.Conf)
	if err != nil {
		return nil, err
	}
	guard.Gives = func(a *scheduler.Attempt) bool { return a.Slot == job.Map } // a reduce in a map slot
	return &Policy{set: set, opt: opt, x: pool.NewIndex(set, poolOf), guard: guard, assign: assign}, nil
}

// Reset implements scheduler.Policy.
func (p *Policy) Reset(v scheduler.View) {
	p.x.Reset(v)
	p.lent.reset(v)
	p.guard.Reset(v)
}

// Observe implements scheduler.Policy.
func (p *Policy) Observe(v scheduler.View, e *event.Event) {
	p.x.Observe(v, e)
	p.lent.observe(v, e)
	p.guard.Observe(v, e)
}

// Inherit implements scheduler.Heir.
func (p *Policy) Inherit(v scheduler.View, old scheduler.Policy) {
	if o, ok := old.(*Policy); ok {
		p.x.Inherit(v, o.x)
	}
}

// LendsSlots implements scheduler.Lender.
func (p *Policy) LendsSlots() bool { return true }

// Assign implements scheduler.Policy.
func (p *Policy) Assign(v scheduler.View, tracker int32, plan scheduler.Plan) {
	p.b = beat{t: v.Tracker(tracker), all: v.Cluster()}
	p.x.Begin(v, tracker, plan)
	p.assign(p, v, &p.b)
	p.x.End()
	p.b = beat{}
}

// NextDeadline implements scheduler.Policy.
func (p *Policy) NextDeadline() int64 {
	a, b := p.x.NextDeadline(), p.guard.NextDeadline()
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// Tick implements scheduler.Policy. Preemption kills tasks in borrowed slots only if
// preemptBorrowed is set. Regardless of that setting, the guard kills a reduce in a map slot if the
// maps of its job have waited too long (package headroom).
func (p *Policy) Tick(v scheduler.View, plan scheduler.Plan) {
	lent := pool.LentKept
	if p.opt.preemptBorrowed {
		lent = pool.LentFirst
	}
	p.x.Tick(v, plan, lent, p.lent)
	p.guard.Tick(v, plan)
}

// Groups implements scheduler.Grouper.
func (p *Policy) Groups(v scheduler.View, buf []scheduler.Group) []scheduler.Group {
	return p.x.Groups(v, buf)
}

// GroupOf implements scheduler.Grouper.
func (p *Policy) GroupOf(v scheduler.View, seq int32) string { return p.x.GroupOf(v, seq) }

// Admit implements scheduler.Admitter.
func (p *Policy) Admit(_ scheduler.View, s *job.Spec) error { return fair.Admit(p.set, s) }

// IgnoresProgress implements scheduler.ProgressIgnorer.
func (p *Policy) IgnoresProgress() bool { return true }

// IgnoresProfiles implements scheduler.ProfileIgnorer.
func (p *Policy) IgnoresProfiles() bool { return true }
