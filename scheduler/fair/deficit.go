package fair

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/pool"
)

// Deficit is the Fair Scheduler as it was in Hadoop 0.20.2. Each job has a fair share of the cluster, and a deficit: how many
// slot milliseconds it has had less than that. Jobs below their part of the pool's guarantee come first, then those with the
// largest deficit. A beat gives one map and one reduce, with mapred.fairscheduler.assignmultiple=false one task. There is
// neither delay scheduling nor preemption.
type Deficit struct {
	set     *pool.Settings
	x       *pool.Index
	jobs    map[int32]*account
	order   [2]pool.Ranking[*account] // jobs that want a task
	updated int64
	stale   bool // jobs came or went since
	byPool  []*account
	members []*account
	share   []pool.Share
}

// account is what a job is owed. Arrays are indexed by job.Map and job.Reduce.
type account struct {
	*pool.Job
	weight  [2]float64 // its part of the pool's weight
	least   [2]int32   // its part of the pool's min share
	fair    [2]float64 // slots
	deficit [2]float64 // slot milliseconds
	needy   [2]bool
	listed  [2]bool
}

// NewDeficit builds the policy by the keys of the Fair Scheduler and its file.
func NewDeficit(s scheduler.Setup) (scheduler.Policy, error) {
	set, err := pool.Read(s)
	if err != nil {
		return nil, err
	}
	set.Preemption = false // it did not exist yet
	p := &Deficit{set: set, x: pool.NewIndex(set, set.NameOf), jobs: map[int32]*account{}}
	for k := range p.order {
		p.order[k].Compare = func(a, b *account) int { return compareDeficits(a, b, job.TaskType(k)) }
	}
	return p, nil
}

// compareDeficits is Hadoop's DeficitComparator, with ties broken by submission.
func compareDeficits(a, b *account, k job.TaskType) int {
	if a.needy[k] != b.needy[k] {
		if a.needy[k] {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(b.deficit[k], a.deficit[k]), cmp.Compare(a.Submit, b.Submit), cmp.Compare(a.Seq, b.Seq))
}

// Reset implements scheduler.Policy.
func (p *Deficit) Reset(v scheduler.View) {
	p.x.Reset(v)
	clear(p.jobs)
	for k := range p.order {
		p.order[k].Items = nil
	}
	for _, j := range p.x.Jobs() {
		p.jobs[j.Seq] = &account{Job: j}
	}
	p.updated = v.Now()
	p.shares(v)
}

// Inherit implements scheduler.Heir.
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
	p.x.Observe(v, e)
	if e.Job == 0 {
		return
	}
	j, a := p.x.Job(e.Job), p.jobs[e.Job]
	switch {
	case j == nil && a == nil:
	case a == nil:
		p.jobs[e.Job] = &account{Job: j}
		p.stale = true
		p.place(p.jobs[e.Job])
	case j == nil:
		p.withdraw(a)
		delete(p.jobs, e.Job)
		p.stale = true
	default:
		p.stale = p.stale || e.Type == event.JobPriorityChanged
		p.place(a)
	}
}

// withdraw takes a job out of the orders.
func (p *Deficit) withdraw(a *account) {
	for k := range p.order {
		if a.listed[k] {
			p.order[k].Take(a)
			a.listed[k] = false
		}
	}
}

// place puts a job where it belongs after its tasks changed.
func (p *Deficit) place(a *account) {
	for k := range job.TaskType(2) {
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

// update adds to the deficits what has passed and computes new shares (FairScheduler.update).
func (p *Deficit) update(v scheduler.View) {
	passed := float64(v.Now() - p.updated)
	for _, j := range p.x.Jobs() {
		a := p.jobs[j.Seq]
		for k := range a.deficit {
			a.deficit[k] += float64((a.fair[k] - float64(a.Running[k])) * passed)
		}
	}
	p.updated = v.Now()
	p.shares(v)
}

// shares computes the guarantees and fair shares of all jobs and sorts them.
func (p *Deficit) shares(v scheduler.View) {
	p.stale = false
	p.byPool = p.byPool[:0]
	for _, j := range p.x.Jobs() {
		p.byPool = append(p.byPool, p.jobs[j.Seq])
	}
	slices.SortStableFunc(p.byPool, func(a, b *account) int { return strings.Compare(a.Pool.Name, b.Pool.Name) })
	slots := v.Cluster().Slots
	for k := range job.TaskType(2) {
		for from := 0; from < len(p.byPool); {
			to := from + 1
			for to < len(p.byPool) && p.byPool[to].Pool == p.byPool[from].Pool {
				to++
			}
			p.sharePool(p.byPool[from:to], k)
			from = to
		}
		p.shareCluster(k, slots[k])
		p.sort(k)
	}
}

// sort puts the jobs that want a task into order.
func (p *Deficit) sort(k job.TaskType) {
	p.order[k].Items = p.order[k].Items[:0]
	for _, a := range p.byPool {
		a.needy[k], a.listed[k] = a.Running[k] < a.least[k], a.Wants(k)
		if a.listed[k] {
			p.order[k].Items = append(p.order[k].Items, a)
		}
	}
	slices.SortFunc(p.order[k].Items, p.order[k].Compare)
}

// competing lists those of some jobs that have tasks of a type.
func (p *Deficit) competing(jobs []*account, k job.TaskType) []*account {
	p.members = p.members[:0]
	for _, a := range jobs {
		a.least[k], a.fair[k] = 0, 0
		if a.Runnable && a.Demand[k] > 0 {
			p.members = append(p.members, a)
		}
	}
	return p.members
}

// sharePool divides a pool's weight among its jobs by theirs (updateWeights), and so its min share, as far as they can use it
// (updateMinSlots). What rounding leaves goes to the heaviest, then to those with the largest deficit.
func (p *Deficit) sharePool(jobs []*account, k job.TaskType) {
	members, pl := p.competing(jobs, k), jobs[0].Pool
	sum := 0.0
	for _, a := range members {
		a.weight[k] = p.x.Weight(a.Job, k)
		sum += a.weight[k]
	}
	if pl.Min[k] > 0 {
		p.shareLeast(members, k, pl.Min[k])
	}
	for _, a := range members {
		a.weight[k] = float64(a.weight[k]*pl.Weight) / sum
	}
}

func (p *Deficit) shareLeast(members []*account, k job.TaskType, slots int32) {
	slices.SortFunc(members, func(a, b *account) int {
		return cmp.Or(cmp.Compare(b.weight[k], a.weight[k]), compareDeficits(a, b, k))
	})
	p.share = p.share[:0]
	for _, a := range members {
		p.share = append(p.share, pool.Share{Weight: a.weight[k], Demand: a.Demand[k]})
	}
	pool.FairShares(p.share, slots)
	for i, a := range members {
		a.least[k] = int32(math.Floor(p.share[i].Fair))
		slots -= a.least[k]
	}
	for _, a := range members {
		if slots > 0 && a.least[k] < a.Demand[k] {
			a.least[k]++
			slots--
		}
	}
}

// shareCluster gives each job with tasks its share of the cluster by weight, and no less than its part of the pool's min share
// (updateFairShares).
func (p *Deficit) shareCluster(k job.TaskType, slots int32) {
	p.share = p.share[:0]
	for _, a := range p.byPool {
		s := pool.Share{Weight: a.weight[k], Min: a.least[k], Demand: math.MaxInt32}
		if !a.Runnable || a.Demand[k] == 0 {
			s = pool.Share{}
		}
		p.share = append(p.share, s)
	}
	pool.FairShares(p.share, slots)
	for i, a := range p.byPool {
		a.fair[k] = p.share[i].Fair
	}
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

// launch starts a task of the first job that has one for the tracker.
func (p *Deficit) launch(v scheduler.View, tracker int32, plan scheduler.Plan, k job.TaskType) bool {
	for _, a := range p.order[k].Items {
		if a.Pool.Running[k] >= a.Pool.Max[k] {
			continue
		}
		index, ok := int32(0), false
		if k == job.Map {
			index, _, ok = v.PickMap(a.Seq, tracker, job.OffSwitch)
		} else {
			index, ok = v.PickReduce(a.Seq, tracker)
		}
		if ok && plan.Launch(job.Task{Job: a.Seq, Type: k, Index: index}, tracker, k) {
			return true
		}
	}
	return false
}

// NextDeadline implements scheduler.Policy: deficits are brought up to date at the interval of updates while jobs run.
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

// Administer implements scheduler.Admitter: anybody may.
func (p *Deficit) Administer(scheduler.View, int32, string) error { return nil }

// IgnoresProgress implements scheduler.ProgressIgnorer.
func (p *Deficit) IgnoresProgress() bool { return true }
