package pool

import (
	"cmp"
	"math"
	"strings"

	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
)

// Both is an index like job.Map and job.Reduce, for maps and reduces together.
const Both = 2

// An Index keeps pools and their jobs in fair order. Reset builds it from a View, and Observe
// updates it. It also records how long jobs have waited for local data, and since when pools
// starve. That state builds up only over time.
type Index struct {
	set    *Settings
	poolOf func(*job.Spec) string
	plain  bool // keeps neither ranked nor Pool.waiting

	jobs   ordered.Window[Job]
	pools  map[string]*Pool
	users  map[string]*user
	byName ordered.Ranking[*Pool]    // pools in the file and pools with jobs
	queue  ordered.Ranking[*Job]     // all running jobs by priority, then submission
	ranked [3]ordered.Ranking[*Pool] // pools with a task to start, neediest first; also for Both
	demand [2]int64                  // slots for running and pending tasks of all pools, within all limits
	run    [2]int64                  // slots for running tasks of all pools
	moved  bool                      // shares are out of date
	claims [2]bool                   // a job's claim has changed since the last call to ClaimsChanged

	starving bool  // a pool was starving at the last update
	boosted  int64 // earliest end of a job's boost, in ms since the Unix epoch; 0 = none

	beat  beat
	clock clock
	buf   []*scheduler.Attempt
	found []victim
	share []Share
}

// A Job is a running job in the index. job.Map and job.Reduce index its arrays. All amounts are in
// slots, so a task that takes several slots counts as several.
type Job struct {
	Seq      int32
	Pool     *Pool
	Priority job.Priority
	Submit   int64
	Runnable bool     // within the limits on running jobs
	Demand   [2]int32 // running and pending
	Running  [2]int32

	user    *user
	wants   [2]bool    // has a task to start
	weight  [2]float64 // inside its pool
	claim   [2]float64 // its weight, or NoClaim
	ratio   [2]float64 // Running divided by weight
	boosted bool
	wait    wait
	far     misses
}

// A Pool is a pool with the totals of its running jobs, in slots. job.Map, job.Reduce, and (in
// arrays of three) Both index its arrays.
type Pool struct {
	Allocation
	Jobs    int32 // running jobs
	Running [3]int32
	Demand  [2]int32   // at most the pool's limit
	Fair    [2]float64 // as of the last update

	wanted  [2]int64                 // demand without the limit
	waiting [2]ordered.Ranking[*Job] // jobs with a task to start
	needy   [3]bool                  // Running is below both the min share and the demand
	ratio   [3]float64               // Running relative to the min share if needy, otherwise to the weight
	starve  starve
	counted int32 // used by recount
}

type user struct {
	name                 string
	limit, jobs, counted int32 // limit on running jobs, running jobs, used by recount
}

// NewIndex returns an empty index. poolOf must return the name of a job's pool.
func NewIndex(set *Settings, poolOf func(*job.Spec) string) *Index {
	x := &Index{set: set, poolOf: poolOf}
	x.byName.Compare = func(a, b *Pool) int { return strings.Compare(a.Name, b.Name) }
	x.queue.Compare = compareFIFO
	for k := range x.ranked {
		x.ranked[k].Compare = func(a, b *Pool) int { return comparePools(a, b, k) }
	}
	x.clear()
	return x
}

// NewTotals returns an empty index of totals and claims, for schedulers with an order of their own.
// It has no order of need: Ranked, Waits, and Launch find nothing.
func NewTotals(set *Settings, poolOf func(*job.Spec) string) *Index {
	x := NewIndex(set, poolOf)
	x.plain = true
	return x
}

func (x *Index) clear() {
	x.jobs.Clear()
	x.pools, x.users = map[string]*Pool{}, map[string]*user{}
	x.byName.Items, x.queue.Items = nil, nil
	for k := range x.ranked {
		x.ranked[k].Items = nil
	}
	x.demand, x.run = [2]int64{}, [2]int64{}
	x.beat, x.moved, x.starving, x.boosted = beat{}, true, false, 0
}

// compareFIFO orders jobs by priority, submission, and sequence number (FifoJobComparator).
func compareFIFO(a, b *Job) int {
	return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.Submit, b.Submit), cmp.Compare(a.Seq, b.Seq))
}

// compareJobs orders the jobs of a pool in Fair mode by running tasks relative to weight, then by
// submission (FairShareComparator). Jobs have no min shares.
func compareJobs(a, b *Job, k job.TaskType) int {
	if a.ratio[k] != b.ratio[k] {
		return cmp.Compare(a.ratio[k], b.ratio[k])
	}
	return cmp.Or(cmp.Compare(a.Submit, b.Submit), cmp.Compare(a.Seq, b.Seq))
}

// comparePools orders pools as Hadoop's FairShareComparator does. Pools below their min share come
// first, ordered by the fraction of the min share that they have. Other pools follow, ordered by
// running tasks relative to weight. Names break ties, because all pools have the same start time in
// Hadoop.
func comparePools(a, b *Pool, k int) int {
	if a.needy[k] != b.needy[k] {
		if a.needy[k] {
			return -1
		}
		return 1
	}
	if a.ratio[k] != b.ratio[k] {
		return cmp.Compare(a.ratio[k], b.ratio[k])
	}
	return strings.Compare(a.Name, b.Name)
}

// perWeight returns running tasks, in slots, divided by weight. The result is infinite for weight 0,
// so that such a pool or job comes last.
func perWeight(running int32, weight float64) float64 {
	if weight <= 0 {
		return math.Inf(1)
	}
	return float64(running) / weight
}

// Reset rebuilds the index.
func (x *Index) Reset(v scheduler.View) {
	x.clear()
	x.clock = clock{updated: v.Now(), checked: v.Now()}
	for i := range x.set.Pools.Pools {
		x.pool(x.set.Pools.Pools[i].Name, v.Now())
	}
	for _, seq := range v.Jobs() {
		x.add(v, v.Job(seq))
	}
	x.recount(v)
}

// Observe updates the index after a fact.
func (x *Index) Observe(v scheduler.View, e *event.Event) {
	x.endPeace(v.Now())
	if e.Job == 0 {
		x.moved = true // the set of trackers may have changed
		return
	}
	j, view := x.jobs.Get(e.Job), v.Job(e.Job)
	if j != nil {
		j.far.observe(e)
	}
	runs := view != nil && view.State == job.Running
	switch {
	case j == nil && runs:
		x.add(v, view)
		x.recount(v)
	case j == nil:
	case !runs:
		x.remove(j)
		x.recount(v)
	case j.Priority != view.Priority:
		x.leave(j)
		x.queue.Take(j)
		j.Priority = view.Priority
		x.queue.Put(j)
		x.enter(j, view)
		x.recount(v)
	default:
		x.update(j, view)
	}
}

// pool returns the named pool. It creates the pool if necessary.
func (x *Index) pool(name string, now int64) *Pool {
	p := x.pools[name]
	if p != nil {
		return p
	}
	p = &Pool{Allocation: x.set.Pools.Of(name), starve: newStarve(now)}
	for k := range p.waiting {
		p.waiting[k].Compare = compareFIFO
		if p.Mode == Fair {
			p.waiting[k].Compare = func(a, b *Job) int { return compareJobs(a, b, job.TaskType(k)) }
		}
	}
	x.pools[name] = p
	x.byName.Put(p)
	return p
}

func (x *Index) user(name string) *user {
	u := x.users[name]
	if u == nil {
		u = &user{name: name, limit: x.set.Pools.MaxJobsOf(name)}
		x.users[name] = u
	}
	return u
}

func (x *Index) add(v scheduler.View, view *scheduler.Job) {
	j := &Job{Seq: view.Seq, Priority: view.Priority, Submit: view.Submit, Runnable: !x.set.Pools.LimitsJobs()}
	j.Pool, j.user = x.pool(x.poolOf(view.Spec), v.Now()), x.user(view.Spec.User)
	j.Pool.Jobs++
	j.user.jobs++
	x.boost(j, v.Now())
	j.far.begin(view, v.Trackers())
	x.jobs.Put(j.Seq, j)
	x.queue.Put(j)
	x.enter(j, view)
}

func (x *Index) remove(j *Job) {
	x.leave(j)
	x.queue.Take(j)
	x.jobs.Delete(j.Seq)
	p := j.Pool
	if p.Jobs--; p.Jobs == 0 && p.line == 0 {
		x.byName.Take(p)
		delete(x.pools, p.Name)
	}
	if j.user.jobs--; j.user.jobs == 0 {
		delete(x.users, j.user.name)
	}
}

func (x *Index) update(j *Job, view *scheduler.Job) {
	changed := [2]bool{}
	for k := range job.TaskType(2) { // wants also depends only on these two values
		changed[k] = j.Running[k] != running(view, k) || j.Demand[k] != demand(j, view, k)
	}
	if changed == [2]bool{} {
		return
	}
	x.unrank(j.Pool)
	for k := range job.TaskType(2) {
		if changed[k] {
			x.drop(j, k)
			x.take(j, view, k)
		}
	}
	x.rank(j.Pool)
}

func running(view *scheduler.Job, k job.TaskType) int32 {
	return view.Running[k] * max(1, view.Width[k])
}

// demand returns the number of slots for the job's running tasks and for those that could run. The
// job's own limit applies. If the job must not run yet, only its running tasks count.
func demand(j *Job, view *scheduler.Job, k job.TaskType) int32 {
	if !j.Runnable {
		return running(view, k)
	}
	limit := view.Spec.MapLimit
	if k == job.Reduce {
		limit = view.Spec.ReduceLimit
	}
	all := view.Running[k] + view.Pending[k]
	if limit > 0 {
		all = max(view.Running[k], min(all, limit))
	}
	return all * max(1, view.Width[k])
}

// leave removes the job from the waiting jobs and the totals of its pool.
func (x *Index) leave(j *Job) {
	x.unrank(j.Pool)
	for k := range job.TaskType(2) {
		x.drop(j, k)
	}
	x.rank(j.Pool)
}

// enter adds the job to the waiting jobs and the totals of its pool, with its current values from
// the view.
func (x *Index) enter(j *Job, view *scheduler.Job) {
	x.unrank(j.Pool)
	for k := range job.TaskType(2) {
		x.take(j, view, k)
	}
	x.rank(j.Pool)
}

// drop does the work of leave for tasks of type k. During the call, the pool must not be in
// x.ranked.
func (x *Index) drop(j *Job, k job.TaskType) {
	if j.wants[k] && !x.plain {
		j.Pool.waiting[k].Take(j)
	}
	j.wants[k] = false
	x.count(j, k, -1)
	j.Running[k], j.Demand[k] = 0, 0
}

// take adds a job's tasks of type k, as they are in the view, to the totals of its pool. It also
// updates the job's weight and claim. During the call, the pool must not be in x.ranked.
func (x *Index) take(j *Job, view *scheduler.Job, k job.TaskType) {
	j.Running[k], j.Demand[k] = running(view, k), demand(j, view, k)
	j.weight[k] = x.set.weight(j, k)
	j.ratio[k] = perWeight(j.Running[k], j.weight[k])
	claim := float64(NoClaim)
	if j.Runnable && j.Demand[k] > 0 {
		claim = j.weight[k]
	}
	x.claims[k] = x.claims[k] || claim != j.claim[k]
	j.claim[k] = claim
	x.count(j, k, 1)
	if j.wants[k] = j.Runnable && view.Wants(k); j.wants[k] && !x.plain {
		j.Pool.waiting[k].Put(j)
	}
}

// count adds the job's tasks to the totals of its pool and of the index. If sign is -1, it
// subtracts them.
func (x *Index) count(j *Job, k job.TaskType, sign int32) {
	p := j.Pool
	x.demand[k] -= int64(max(p.Demand[k], p.Running[k]))
	p.Running[k] += sign * j.Running[k]
	p.Running[Both] += sign * j.Running[k]
	p.wanted[k] += int64(sign) * int64(j.Demand[k])
	p.Demand[k] = int32(min(p.wanted[k], int64(p.Max[k])))
	x.demand[k] += int64(max(p.Demand[k], p.Running[k]))
	x.run[k] += int64(sign) * int64(j.Running[k])
}

func (x *Index) unrank(p *Pool) {
	if x.plain {
		return
	}
	for k := range x.ranked {
		x.ranked[k].Take(p)
	}
}

// rank computes the pool's need and adds the pool to the rankings in which it belongs.
func (x *Index) rank(p *Pool) {
	x.moved = true
	if x.plain {
		return
	}
	least := [3]int32{}
	for k := range p.waiting {
		least[k] = min(p.Min[k], p.Demand[k])
		least[Both] += least[k]
	}
	for k := range x.ranked {
		p.needy[k] = p.Running[k] < least[k]
		p.ratio[k] = perWeight(p.Running[k], p.Weight)
		if p.needy[k] {
			p.ratio[k] = float64(p.Running[k]) / float64(max(least[k], 1))
		}
	}
	maps, reduces := p.Waits(job.Map), p.Waits(job.Reduce)
	for k, listed := range [3]bool{maps, reduces, maps || reduces} {
		if listed {
			x.ranked[k].Put(p)
		}
	}
}

// Waits reports whether a job of the pool has a task of type k to start and the pool's limit
// permits one more.
func (p *Pool) Waits(k job.TaskType) bool {
	return len(p.waiting[k].Items) > 0 && p.Running[k] < p.Max[k]
}

// Ranked returns the pools that have a task of type k to start, neediest first. If k is Both, the
// task can be of either type. Each launch changes the list.
func (x *Index) Ranked(k int) []*Pool { return x.ranked[k].Items }

// Jobs returns the running jobs by priority, then submission. Each observed fact can change the
// list.
func (x *Index) Jobs() []*Job { return x.queue.Items }

// Job returns the running job with sequence number seq, or nil.
func (x *Index) Job(seq int32) *Job { return x.jobs.Get(seq) }

// Pools returns the pools in the file and those with jobs, sorted by name.
func (x *Index) Pools() []*Pool { return x.byName.Items }

// NoClaim is the claim of a job that must not run or has no tasks of the type.
const NoClaim = -1

// Claim returns the weight of a job in its pool if the job may run and has tasks of type k.
// Otherwise, it returns NoClaim.
func (j *Job) Claim(k job.TaskType) float64 { return j.claim[k] }

// ClaimsChanged reports whether the claim of any job has changed since the last call.
func (x *Index) ClaimsChanged(k job.TaskType) bool {
	changed := x.claims[k]
	x.claims[k] = false
	return changed
}

// Wants reports whether the job has a pending task of type k and may start it.
func (j *Job) Wants(k job.TaskType) bool { return j.wants[k] }

// Pending returns the number of slots that pending tasks of type k would take if as many as
// possible started within all limits.
func (x *Index) Pending(k job.TaskType) int64 { return x.demand[k] - x.run[k] }
