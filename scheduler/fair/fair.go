// Package fair implements Hadoop 1.x's Fair Scheduler (org.apache.hadoop.mapred.FairScheduler).
// Pools share the cluster by weights and guarantees, and jobs share their pool. Package pool
// implements the parts that all schedulers with pools use. Package fair also contains the
// deficit-based scheduler of Hadoop 0.20.2.
package fair

import (
	"errors"
	"fmt"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/pool"
)

// A Policy is a Fair Scheduler.
type Policy struct {
	set *pool.Settings
	x   *pool.Index
}

// New returns a policy with the settings from s.Conf and the allocation file in s.Files. Errors are
// of kind Config.
func New(s scheduler.Setup) (scheduler.Policy, error) {
	set, err := pool.Read(s)
	if err != nil {
		return nil, err
	}
	return &Policy{set: set, x: pool.NewIndex(set, set.NameOf)}, nil
}

// Reset implements scheduler.Policy.
func (p *Policy) Reset(v scheduler.View) { p.x.Reset(v) }

// Observe implements scheduler.Policy.
func (p *Policy) Observe(v scheduler.View, e *event.Event) { p.x.Observe(v, e) }

// Inherit implements scheduler.Heir. It takes over how long jobs have waited for local data and how
// long pools have starved.
func (p *Policy) Inherit(v scheduler.View, old scheduler.Policy) {
	if o, ok := old.(*Policy); ok {
		p.x.Inherit(v, o.x)
	}
}

// Assign implements scheduler.Policy (FairScheduler.assignTasks). It assigns one task after another
// until no task of either type can start. It prefers the type whose tasks use fewer slots of the
// tracker, and the pool that is furthest below its share. With
// mapred.fairscheduler.assignmultiple=false, it assigns at most one task.
func (p *Policy) Assign(v scheduler.View, tracker int32, plan scheduler.Plan) {
	t := v.Tracker(tracker)
	p.x.Begin(v, tracker, plan)
	defer p.x.End()
	given := [2]int32{}
	closed := [2]bool{}
	for {
		for k := range job.TaskType(2) {
			closed[k] = closed[k] || !p.may(v, t, k, given)
		}
		k := job.Map
		switch {
		case closed[job.Map] && closed[job.Reduce]:
			return
		case closed[job.Map], !closed[job.Reduce] && t.Used[job.Map] > t.Used[job.Reduce]:
			k = job.Reduce
		}
		if p.x.Launch(k, k) {
			given[k]++
		} else {
			closed[k] = true
		}
	}
}

// may reports whether this heartbeat may assign one more task of type k to the tracker.
func (p *Policy) may(v scheduler.View, t *scheduler.Tracker, k job.TaskType, given [2]int32) bool {
	if !p.set.AssignMultiple && given[job.Map]+given[job.Reduce] > 0 {
		return false
	}
	return given[k] < p.set.PerBeat[k] && len(p.x.Ranked(int(k))) > 0 && t.Used[k] < p.x.Cap(v, t, k)
}

// NextDeadline implements scheduler.Policy.
func (p *Policy) NextDeadline() int64 { return p.x.NextDeadline() }

// Tick implements scheduler.Policy.
func (p *Policy) Tick(v scheduler.View, plan scheduler.Plan) {
	p.x.Tick(v, plan, pool.LentAsOthers, [2]int64{})
}

// Groups implements scheduler.Grouper.
func (p *Policy) Groups(v scheduler.View, buf []scheduler.Group) []scheduler.Group {
	return p.x.Groups(v, buf)
}

// GroupOf implements scheduler.Grouper.
func (p *Policy) GroupOf(v scheduler.View, seq int32) string { return p.x.GroupOf(v, seq) }

// Admit implements scheduler.Admitter. The placement policy in the allocation file can reject a
// job.
func (p *Policy) Admit(_ scheduler.View, s *job.Spec) error { return Admit(p.set, s) }

// Admit returns an error of kind Permission if the allocation file does not assign the job to any
// pool.
func Admit(set *pool.Settings, s *job.Spec) error {
	if _, ok := set.PoolOf(s); ok {
		return nil
	}
	return failure.New(failure.Permission, "submit job", s.Name,
		errors.New("no rule of poolPlacementPolicy finds a pool for the job")).
		Fix(fmt.Sprintf("choose a pool of the file with -D %s=...", conf.FairSchedulerPool.Name))
}

// IgnoresProgress implements scheduler.ProgressIgnorer.
func (p *Policy) IgnoresProgress() bool { return true }

// IgnoresProfiles implements scheduler.ProfileIgnorer.
func (p *Policy) IgnoresProfiles() bool { return true }
