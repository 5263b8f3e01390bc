package fair

import (
	"cmp"
	"slices"
	"strings"

	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/pool"
)

// Deficit is the Fair Scheduler of Hadoop 0.20.2. Each job has a fair share of the cluster and a
// deficit, the slot-milliseconds by which it has missed that share. Jobs below their share of the
// pool's min share come first, followed by those with the largest deficit.
//
// A heartbeat assigns at most one map and one reduce, or at most one task with
// mapred.fairscheduler.assignmultiple=false. The scheduler has neither delay scheduling nor
// preemption.
type Deficit struct {
	set     *pool.Settings
	x       *pool.Index
	jobs    map[int32]*account
	order   [2]ordered.Ranking[*account] // jobs with a task to start
	byPool  ordered.Ranking[*account]    // all jobs by pool, then in the order of the pool index
	updated int64                        // time of the last update, in milliseconds since the Unix epoch
	stale   bool                         // jobs or priorities have changed since the last update
	least   [2]bool                      // a pool has a min share
	slots   [2]int32                     // slots of the cluster at the last update
	members []*account                   // reused
	share   []pool.Share                 // reused
}

// An account holds the shares and deficits of a job. job.Map and job.Reduce index its arrays.
type account struct {
	// Each update needs these fields of all jobs, so they are next to each other.
	deficit [2]float64 // slot-milliseconds
	missed  [2]float64 // slots by which Running is below fair
	needy   [2]bool    // Running is below least
	listed  [2]bool    // in Deficit.order

	*pool.Job
	own    [2]float64 // the job's claim, as of the last update
	weight [2]float64 // its share of the pool's weight
	least  [2]int32   // its share of the pool's min share, in slots
	fair   [2]float64 // fair share in slots
}

// NewDeficit returns a policy with the settings of the Fair Scheduler and its allocation file. Errors
// are of kind Config.
func NewDeficit(s scheduler.Setup) (scheduler.Policy, error) {
	set, err := pool.Read(s)
	if err != nil {
		return nil, err
	}
	set.Preemption = false // Hadoop 0.20.2 has no preemption
	p := &Deficit{set: set, x: pool.NewIndex(set, set.NameOf), jobs: map[int32]*account{}}
	for k := range p.order {
		p.order[k].Compare = func(a, b *account) int { return compareDeficits(a, b, job.TaskType(k)) }
		p.least[k] = slices.ContainsFunc(set.Pools.Pools, func(a pool.Allocation) bool { return a.Min[k] > 0 })
	}
	p.byPool.Compare = compareInPool
	return p, nil
}

// compareDeficits is Hadoop's DeficitComparator, with ties broken by submission.
func compareDeficits(a, b *account, k job.TaskType) int {
	switch {
	case a.needy[k] != b.needy[k]:
		if a.needy[k] {
			return -1
		}
		return 1
	case a.deficit[k] > b.deficit[k]:
		return -1
	case a.deficit[k] < b.deficit[k]:
		return 1
	}
	return cmp.Or(cmp.Compare(a.Submit, b.Submit), cmp.Compare(a.Seq, b.Seq))
}

// compareInPool orders jobs by pool, then by priority and submission.
func compareInPool(a, b *account) int {
	return cmp.Or(strings.Compare(a.Pool.Name, b.Pool.Name), cmp.Compare(b.Priority, a.Priority),
		cmp.Compare(a.Submit, b.Submit), cmp.Compare(a.Seq, b.Seq))
}

// Reset implements scheduler.Policy.
func (p *Deficit) Reset(v scheduler.View) {
	p.x.Reset(v)
	clear(p.jobs)
	for k := range p.order {
		p.order[k].Items = nil
	}
	p.byPool.Items = nil
	for _, j := range p.x.Jobs() {
		p.place(p.enter(j))
	}
	p.updated = v.Now()
	p.shares(v)
}

// Inherit implements scheduler.Heir. Jobs keep their deficits.
func (p *Deficit) Inherit(v scheduler.View, old scheduler.Policy) {
	o, ok := old.(*Deficit)
	if !ok {
		return
	}
	for _, j := range p.x.Jobs() {
		if was := o.jobs[j.Seq]; was != nil {
			p.jobs[j.Seq].deficit = was.deficit
		}
	}
	p.updated = o.updated
	p.shares(v)
}

// Observe implements scheduler.Policy.
func (p *Deficit) Observe(v scheduler.View, e *event.Event) {
	a := p.jobs[e.Job]
	moves := a != nil && e.Type == event.JobPriorityChanged
	if moves { // remove the job while its old key is still valid
		p.byPool.Take(a)
	}
	p.x.Observe(v, e)
	j := p.x.Job(e.Job)
	switch {
	case j == nil && a == nil:
		return
	case a == nil:
		a = p.enter(j)
	case j == nil:
		p.leave(a)
		return
	case moves:
		p.byPool.Put(a)
		p.stale = true
	}
	p.place(a)
}

// enter creates the account of a new job.
func (p *Deficit) enter(j *pool.Job) *account {
	a := &account{Job: j, own: [2]float64{pool.NoClaim, pool.NoClaim}}
	p.jobs[j.Seq] = a
	p.byPool.Put(a)
	p.stale = true
	return a
}

// leave removes the account of an ended job.
func (p *Deficit) leave(a *account) {
	p.withdraw(a)
	p.byPool.Take(a)
	delete(p.jobs, a.Seq)
	p.stale = true
}

// withdraw removes the job from the ordered lists.
func (p *Deficit) withdraw(a *account) {
	for k := range p.order {
		if a.listed[k] {
			p.order[k].Take(a)
			a.listed[k] = false
		}
	}
}

// place updates a job after a change to its tasks, with its position in the ordered lists.
func (p *Deficit) place(a *account) {
	for k := range job.TaskType(2) {
		a.missed[k] = a.fair[k] - float64(a.Running[k])
		needy, listed := a.Running[k] < a.least[k], a.Wants(k)
		if needy == a.needy[k] && listed == a.listed[k] {
			continue
		}
		if a.listed[k] {
			p.order[k].Take(a)
		}
		if a.needy[k], a.listed[k] = needy, listed; listed {
			p.order[k].Put(a)
		}
	}
}

// update adds the elapsed time to the deficits and computes new shares (FairScheduler.update).
func (p *Deficit) update(v scheduler.View) {
	passed := float64(v.Now() - p.updated)
	for _, a := range p.byPool.Items {
		for k := range a.deficit {
			a.deficit[k] += float64(a.missed[k] * passed)
		}
	}
	p.updated = v.Now()
	p.shares(v)
}

// Assign implements scheduler.Policy.
func (p *Deficit) Assign(v scheduler.View, tracker int32, plan scheduler.Plan) {
	if p.stale {
		p.update(v)
	}
	t := v.Tracker(tracker)
	for k := range job.TaskType(2) {
		if t.Free(k) > 0 && t.Used[k] < p.x.Cap(v, t, k) && p.launch(v, tracker, plan, k) && !p.set.AssignMultiple {
			return
		}
	}
}

// launch starts a task of the first job that has a task for the tracker and whose pool is below its
// maximum. It reports whether it started a task.
func (p *Deficit) launch(v scheduler.View, tracker int32, plan scheduler.Plan, k job.TaskType) bool {
	for _, a := range p.order[k].Items {
		if a.Pool.Running[k] >= a.Pool.Max[k] {
			continue
		}
		index, ok := scheduler.Pick(v, a.Seq, tracker, k)
		if ok && plan.Launch(job.Task{Job: a.Seq, Type: k, Index: index}, tracker, k) {
			return true
		}
	}
	return false
}

// NextDeadline implements scheduler.Policy. While jobs run, the policy updates deficits at the
// update interval.
func (p *Deficit) NextDeadline() int64 {
	if len(p.x.Jobs()) == 0 {
		return 0
	}
	return p.updated + p.set.UpdateInterval
}

// Tick implements scheduler.Policy.
func (p *Deficit) Tick(v scheduler.View, plan scheduler.Plan) {
	p.x.Tick(v, plan, pool.LentAsOthers, [2]int64{})
	p.update(v)
}

// Groups implements scheduler.Grouper.
func (p *Deficit) Groups(v scheduler.View, buf []scheduler.Group) []scheduler.Group {
	return p.x.Groups(v, buf)
}

// GroupOf implements scheduler.Grouper.
func (p *Deficit) GroupOf(v scheduler.View, seq int32) string { return p.x.GroupOf(v, seq) }

// Admit implements scheduler.Admitter.
func (p *Deficit) Admit(_ scheduler.View, s *job.Spec) error { return Admit(p.set, s) }

// IgnoresProgress implements scheduler.ProgressIgnorer.
func (p *Deficit) IgnoresProgress() bool { return true }
