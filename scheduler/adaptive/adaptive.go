// Package adaptive implements the schedulers of Polo et al. that guide jobs to completion-time
// goals:
//
//   - Adaptive (NOMS 2010 and Middleware 2011).
//   - Reverse-Adaptive (CCGrid 2014), which predicts the resources that other workloads leave.
//   - minmiss, the baseline of the CCGrid evaluation that considers only the number of missed goals.
//
// Section, equation, and figure numbers refer to the CCGrid paper. PAPER.md maps its symbols and
// equations to code.
package adaptive

import (
	"errors"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
)

// A Policy is one of the schedulers in this package. It connects the five components of section
// IV-E.
type Policy struct {
	updater   JobStatusUpdater
	estimator WorkloadEstimator
	utility   JobUtilityCalculator
	placement PlacementAlgorithm
	tasks     TaskScheduler
	capacity  capacity
	nodes     nodes
	cycle     int64 // T, in ms
}

// New returns the Adaptive scheduler. The howdah.adaptive.variant setting selects its variant.
func New(s scheduler.Setup) (scheduler.Policy, error) {
	o, err := readOptions(s.Conf)
	if err != nil {
		return nil, err
	}
	if o.variant == NOMS10 {
		return build(s, o, byNeed{})
	}
	return build(s, o, byUtility{})
}

// NewReverse returns the Reverse-Adaptive scheduler.
func NewReverse(s scheduler.Setup) (scheduler.Policy, error) {
	o, err := readOptions(s.Conf)
	if err != nil {
		return nil, err
	}
	return build(s, o, byUtility{fitted: true})
}

// NewMinMiss returns minmiss, the scheduler that considers only the number of missed goals.
func NewMinMiss(s scheduler.Setup) (scheduler.Policy, error) {
	o, err := readOptions(s.Conf)
	if err != nil {
		return nil, err
	}
	return build(s, o, byCount{})
}

func build(s scheduler.Setup, o options, r rule) (scheduler.Policy, error) {
	p := &Policy{cycle: o.cycle}
	p.capacity = capacity{opt: o, curves: &Curves{}}
	if f := s.File(conf.AdaptiveCapacityFile.Name); f.Data != nil {
		curves, err := ParseCurves(f.Path, f.Data)
		if err != nil {
			return nil, err
		}
		p.capacity.curves = curves
	} else if o.source == SourceManager {
		return nil, s.Conf.Refuse(conf.AdaptiveCapacitySource.Name,
			errors.New("only the JobTracker of an MR-cluster has a manager"))
	}
	p.updater = newUpdater(o)
	p.estimator = WorkloadEstimator{opt: o, updater: &p.updater, foresees: r.foresees()}
	p.placement = PlacementAlgorithm{opt: o, updater: &p.updater, estimator: &p.estimator, utility: &p.utility,
		capacity: &p.capacity, nodes: &p.nodes, rule: r}
	p.tasks = TaskScheduler{opt: o, updater: &p.updater, capacity: &p.capacity, nodes: &p.nodes}
	return p, nil
}

// Reset implements scheduler.Policy. The next Tick starts a cycle.
func (p *Policy) Reset(v scheduler.View) {
	p.updater.reset(v)
	p.nodes.reset(v, &p.updater)
	p.placement.enter(idle)
	p.placement.begun = 0
	p.tasks.due = p.tasks.due[:0]
}

// Observe implements scheduler.Policy.
func (p *Policy) Observe(v scheduler.View, e *event.Event) {
	p.updater.observe(v, e)
	p.nodes.observe(v, &p.updater, e)
}

// Assign implements scheduler.Policy.
func (p *Policy) Assign(v scheduler.View, tracker int32, plan scheduler.Plan) {
	p.tasks.Assign(v, tracker, plan)
}

// NextDeadline implements scheduler.Policy. During a cycle it returns the start of that cycle, so
// that the next step follows immediately. Otherwise it returns the start of the next cycle, one
// period T after the start of the last one. Without jobs, it returns 0.
func (p *Policy) NextDeadline() int64 {
	switch {
	case p.placement.stage != idle:
		return max(1, p.placement.begun)
	case len(p.updater.jobs) == 0:
		return 0
	}
	return p.placement.begun + p.cycle
}

// Tick implements scheduler.Policy. It performs one step of the placement cycle. After the last
// step, the new placement applies.
func (p *Policy) Tick(v scheduler.View, _ scheduler.Plan) {
	p.placement.step(v)
	if p.placement.stage == idle {
		p.tasks.adopt(p.placement.jobs)
	}
}

// Admit implements scheduler.Admitter. It rejects a job with an invalid resource profile.
func (p *Policy) Admit(_ scheduler.View, s *job.Spec) error {
	_, err := demands(s)
	return err
}

// Inherit implements scheduler.Heir. If old is also a Policy of this package, Inherit takes over
// the mean task length of all jobs and the measured load of other workloads, which takes days to
// learn.
func (p *Policy) Inherit(_ scheduler.View, old scheduler.Policy) {
	if o, ok := old.(*Policy); ok {
		p.capacity.measured = o.capacity.measured
		p.updater.done, p.updater.spent = o.updater.done, o.updater.spent
	}
}

// Expect implements scheduler.Goal. It divides the remaining map time by the job's map slots, and
// adds one wave of reduces. ok is false for an unknown job, and for a job with maps left but no
// slot.
func (p *Policy) Expect(v scheduler.View, seq int32) (finish int64, ok bool) {
	d := p.updater.bySeq.Get(seq)
	if d == nil {
		return 0, false
	}
	slots := float64(max(d.grant[job.Map], d.run[job.Map]))
	work := float64(float64(d.pend[job.Map])*p.updater.length(d, job.Map)) + p.updater.ahead(d, job.Map, v.Now())
	if work > 0 && slots == 0 {
		return 0, false // without a slot, no prediction is possible
	}
	finish = v.Now() + p.updater.tail(d)
	if work > 0 {
		finish += int64(work / slots)
	}
	return finish, true
}

// IgnoresProgress implements scheduler.ProgressIgnorer.
func (p *Policy) IgnoresProgress() bool { return true }
