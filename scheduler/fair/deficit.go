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
	x       *pool.Totals
	jobs    ordered.Window[account]
	all     []*account   // by account.at; nil = unused
	unused  []int32      // indexes in all
	pools   []*pool.Pool // of the jobs, by account.at
	since   []arrival    // like pools
	columns [2]columns
	order   [2]ordered.Ranking[int32] // jobs with a task to start; the numbers are account.at
	byPool  ordered.Ranking[int32]    // all jobs by pool, then in the order of the pool index
	updated int64                     // time of the last update, in milliseconds since the Unix epoch
	stale   bool                      // jobs or priorities have changed since the last update
	least   [2]bool                   // a pool has a min share
	slots   [2]int32                  // slots of the cluster at the last update
	members []int32                   // reused
	share   []pool.Share              // reused
}

// An account is the entry of a job in Deficit.columns.
type account struct {
	*pool.Job
	at     int32   // index in the columns
	listed [2]bool // in Deficit.order, by type of task
}

// An arrival orders jobs by submission.
type arrival struct {
	submit int64
	seq    int32
}

func (a arrival) before(b arrival) bool {
	return a.submit < b.submit || a.submit == b.submit && a.seq < b.seq
}

// columns holds the shares and deficits of all jobs for tasks of one type, by account.at. Each update
// needs one or two of them for all jobs. Unused entries are 0.
type columns struct {
	deficit []float64 // slot-milliseconds
	missed  []float64 // slots by which running is below fair
	running []float64 // Running
	claim   []float64 // Claim, unless the limits of pools or boosts can change it (see claims)
	own     []float64 // the job's claim, as of the last update
	weight  []float64 // its share of the pool's weight
	fair    []float64 // fair share in slots
	least   []int32   // its share of the pool's min share, in slots
	needy   []bool    // Running is below least
}

// reset sets the entries of job at, which is new or has left. It adds them if necessary.
func (c *columns) reset(at int32, own float64) {
	if int(at) == len(c.own) {
		c.deficit, c.missed, c.running = append(c.deficit, 0), append(c.missed, 0), append(c.running, 0)
		c.claim, c.own, c.weight = append(c.claim, own), append(c.own, own), append(c.weight, 0)
		c.fair, c.least, c.needy = append(c.fair, 0), append(c.least, 0), append(c.needy, false)
		return
	}
	c.deficit[at], c.missed[at], c.running[at], c.fair[at] = 0, 0, 0, 0
	c.claim[at], c.own[at], c.weight[at] = own, own, 0
	c.least[at], c.needy[at] = 0, false
}

// NewDeficit returns a policy with the settings of the Fair Scheduler and its allocation file. Errors
// are of kind Config.
func NewDeficit(s scheduler.Setup) (scheduler.Policy, error) {
	set, err := pool.Read(s)
	if err != nil {
		return nil, err
	}
	set.Preemption = false // Hadoop 0.20.2 has no preemption
	p := &Deficit{set: set, x: pool.NewTotals(set, set.NameOf)}
	for k := range p.order {
		p.order[k].Compare = func(a, b int32) int { return p.compareDeficits(a, b, job.TaskType(k)) }
		p.least[k] = slices.ContainsFunc(set.Pools.Pools, func(a pool.Allocation) bool { return a.Min[k] > 0 })
	}
	p.byPool.Compare = func(a, b int32) int { return compareInPool(p.all[a], p.all[b]) }
	return p, nil
}

// compareDeficits is Hadoop's DeficitComparator, with ties broken by submission.
func (p *Deficit) compareDeficits(a, b int32, k job.TaskType) int {
	switch c := &p.columns[k]; {
	case a == b:
		return 0
	case p.follows(c, a, b):
		return 1
	}
	return -1
}

// compareInPool orders jobs by pool, then by priority and submission.
func compareInPool(a, b *account) int {
	return cmp.Or(strings.Compare(a.Pool.Name, b.Pool.Name), cmp.Compare(b.Priority, a.Priority),
		cmp.Compare(a.Submit, b.Submit), cmp.Compare(a.Seq, b.Seq))
}

// Reset implements scheduler.Policy.
func (p *Deficit) Reset(v scheduler.View) {
	p.x.Reset(v)
	p.jobs.Clear()
	p.all, p.unused, p.pools, p.since, p.columns = nil, nil, nil, nil, [2]columns{}
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
		if was := o.jobs.Get(j.Seq); was != nil {
			for k := range p.columns {
				p.columns[k].deficit[p.jobs.Get(j.Seq).at] = o.columns[k].deficit[was.at]
			}
		}
	}
	p.updated = o.updated
	p.shares(v)
}

// Observe implements scheduler.Policy.
func (p *Deficit) Observe(v scheduler.View, e *event.Event) {
	a := p.jobs.Get(e.Job)
	moves := a != nil && (e.Type == event.JobPriorityChanged || e.Type == event.JobMoved)
	if moves { // remove the job while its old key is still valid
		p.byPool.Take(a.at)
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
		if p.pools[a.at] != a.Pool {
			p.pools[a.at] = a.Pool
			for k := range p.columns { // the new pool may have no min share
				p.columns[k].least[a.at], p.columns[k].weight[a.at] = 0, 0
			}
		}
		p.byPool.Put(a.at)
		p.stale = true
	}
	p.place(a)
}

// enter creates the account of a new job.
func (p *Deficit) enter(j *pool.Job) *account {
	a := &account{Job: j, at: int32(len(p.all))}
	if n := len(p.unused) - 1; n >= 0 {
		a.at, p.unused = p.unused[n], p.unused[:n]
		p.all[a.at], p.pools[a.at], p.since[a.at] = a, j.Pool, arrival{j.Submit, j.Seq}
	} else {
		p.all, p.pools = append(p.all, a), append(p.pools, j.Pool)
		p.since = append(p.since, arrival{j.Submit, j.Seq})
	}
	for k := range p.columns {
		p.columns[k].reset(a.at, pool.NoClaim)
	}
	p.jobs.Put(j.Seq, a)
	p.byPool.Put(a.at)
	p.stale = true
	return a
}

// leave removes the account of an ended job.
func (p *Deficit) leave(a *account) {
	p.withdraw(a)
	p.byPool.Take(a.at)
	p.jobs.Delete(a.Seq)
	for k := range p.columns {
		p.columns[k].reset(a.at, 0)
	}
	p.all[a.at], p.pools[a.at] = nil, nil
	p.unused = append(p.unused, a.at)
	p.stale = true
}

// withdraw removes the job from the ordered lists.
func (p *Deficit) withdraw(a *account) {
	for k := range p.order {
		if a.listed[k] {
			p.order[k].Take(a.at)
			a.listed[k] = false
		}
	}
}

// place updates a job after a change to its tasks, with its position in the ordered lists.
func (p *Deficit) place(a *account) {
	for k := range job.TaskType(2) {
		c := &p.columns[k]
		c.running[a.at], c.claim[a.at] = float64(a.Running[k]), a.Claim(k)
		c.missed[a.at] = c.fair[a.at] - c.running[a.at]
		needy, listed := a.Running[k] < c.least[a.at], a.Wants(k)
		if needy == c.needy[a.at] && listed == a.listed[k] {
			continue
		}
		if a.listed[k] {
			p.order[k].Take(a.at)
		}
		if c.needy[a.at], a.listed[k] = needy, listed; listed {
			p.order[k].Put(a.at)
		}
	}
}

// update adds the elapsed time to the deficits and computes new shares (FairScheduler.update).
func (p *Deficit) update(v scheduler.View) {
	passed := float64(v.Now() - p.updated)
	for k := range p.columns {
		missed := p.columns[k].missed
		deficit := p.columns[k].deficit[:len(missed)] // avoids a check of each index
		for i := range missed {
			deficit[i] += float64(missed[i] * passed)
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
	for _, at := range p.order[k].Items {
		a := p.all[at]
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

// IgnoresProfiles implements scheduler.ProfileIgnorer.
func (p *Deficit) IgnoresProfiles() bool { return true }
