package pool

import (
	"cmp"
	"strings"

	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
)

// Both is an index like job.Map and job.Reduce, for maps and reduces together.
const Both = 2

// Totals keeps the totals of pools and the claims of their jobs, for schedulers with an order of
// their own. Reset builds it from a View, and Observe updates it. It also records since when pools
// starve, which builds up only over time. Pool.Waits is always false.
type Totals struct {
	set    *Settings
	poolOf func(*job.Spec) string

	jobs   ordered.Window[Job]
	pools  map[string]*Pool
	users  map[string]*user
	byName ordered.Ranking[*Pool] // pools in the file and pools with jobs
	queue  ordered.Ranking[*Job]  // all running jobs by priority, then submission
	order  *order                 // nil in a Totals that is no part of an Index
	demand [2]int64               // slots for running and pending tasks of all pools, within all limits
	run    [2]int64               // slots for running tasks of all pools
	moved  bool                   // shares are out of date
	claims [2]bool                // a job's claim has changed since the last call to ClaimsChanged

	starving bool  // a pool was starving at the last update
	boosted  int64 // earliest end of a job's boost, in ms since the Unix epoch; 0 = none

	clock clock
	buf   []*scheduler.Attempt
	found []victim
	share []Share
}

// An Index is a Totals that also keeps the pools and their jobs with a task to start in fair order.
// It also records how long jobs have waited for local data, which builds up only over time.
type Index struct {
	Totals
	beat beat
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
	x := &Index{Totals: *NewTotals(set, poolOf)}
	x.order = newOrder()
	return x
}

// NewTotals returns an empty Totals. poolOf must return the name of a job's pool.
func NewTotals(set *Settings, poolOf func(*job.Spec) string) *Totals {
	x := &Totals{set: set, poolOf: poolOf}
	x.byName.Compare = func(a, b *Pool) int { return strings.Compare(a.Name, b.Name) }
	x.queue.Compare = compareFIFO
	x.clear()
	return x
}

func (x *Totals) clear() {
	x.jobs.Clear()
	x.pools, x.users = map[string]*Pool{}, map[string]*user{}
	x.byName.Items, x.queue.Items = nil, nil
	x.demand, x.run = [2]int64{}, [2]int64{}
	x.moved, x.starving, x.boosted = true, false, 0
}

// compareFIFO orders jobs by priority, submission, and sequence number (FifoJobComparator).
func compareFIFO(a, b *Job) int {
	return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.Submit, b.Submit), cmp.Compare(a.Seq, b.Seq))
}

// Reset rebuilds the index.
func (x *Index) Reset(v scheduler.View) {
	x.order, x.beat = newOrder(), beat{}
	x.Totals.Reset(v)
}

// Reset rebuilds the totals.
func (x *Totals) Reset(v scheduler.View) {
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

// Observe processes a fact.
func (x *Totals) Observe(v scheduler.View, e *event.Event) {
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
	case e.Type == event.JobMoved && j.Pool.Name != x.poolOf(view.Spec):
		x.leave(j)
		x.quit(j.Pool)
		j.Pool = x.pool(x.poolOf(view.Spec), v.Now())
		j.Pool.Jobs++
		x.enter(j, view)
		x.recount(v)
	default:
		x.update(j, view)
	}
}

// pool returns the named pool. It creates the pool if necessary.
func (x *Totals) pool(name string, now int64) *Pool {
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

func (x *Totals) user(name string) *user {
	u := x.users[name]
	if u == nil {
		u = &user{name: name, limit: x.set.Pools.MaxJobsOf(name)}
		x.users[name] = u
	}
	return u
}

func (x *Totals) add(v scheduler.View, view *scheduler.Job) {
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

func (x *Totals) remove(j *Job) {
	x.leave(j)
	x.queue.Take(j)
	x.jobs.Delete(j.Seq)
	x.quit(j.Pool)
	if j.user.jobs--; j.user.jobs == 0 {
		delete(x.users, j.user.name)
	}
}

// quit removes one job from the number of the pool's jobs. It drops an empty pool that is not in the
// file.
func (x *Totals) quit(p *Pool) {
	if p.Jobs--; p.Jobs == 0 && p.line == 0 {
		x.byName.Take(p)
		delete(x.pools, p.Name)
	}
}

func (x *Totals) update(j *Job, view *scheduler.Job) {
	changed := [2]bool{}
	for k := range job.TaskType(2) { // wants also depends only on these two values
		changed[k] = j.Running[k] != running(view, k) || j.Demand[k] != demand(j, view, k)
	}
	if changed == [2]bool{} {
		return
	}
	x.change(j, changed, view)
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

// leave removes the job from the totals and the order of its pool.
func (x *Totals) leave(j *Job) { x.change(j, [2]bool{true, true}, nil) }

// enter adds the job to the totals and the order of its pool, with its current values from the view.
func (x *Totals) enter(j *Job, view *scheduler.Job) { x.change(j, [2]bool{true, true}, view) }

// change updates the totals and the order of the job's pool for the given types of tasks. If view is
// nil, it removes the job.
func (x *Totals) change(j *Job, types [2]bool, view *scheduler.Job) {
	x.order.remove(j, types)
	for k := range job.TaskType(2) {
		if !types[k] {
			continue
		}
		x.count(j, k, -1)
		j.wants[k], j.Running[k], j.Demand[k] = false, 0, 0
		if view != nil {
			x.take(j, view, k)
		}
	}
	x.moved = true
	x.order.add(j, types)
}

// take adds a job's tasks of type k, as they are in the view, to the totals of its pool. It also
// updates the job's weight and claim.
func (x *Totals) take(j *Job, view *scheduler.Job, k job.TaskType) {
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
	j.wants[k] = j.Runnable && view.Wants(k)
}

// count adds the job's tasks to the totals of its pool and of the index. If sign is -1, it
// subtracts them.
func (x *Totals) count(j *Job, k job.TaskType, sign int32) {
	p := j.Pool
	x.demand[k] -= int64(max(p.Demand[k], p.Running[k]))
	p.Running[k] += sign * j.Running[k]
	p.Running[Both] += sign * j.Running[k]
	p.wanted[k] += int64(sign) * int64(j.Demand[k])
	p.Demand[k] = int32(min(p.wanted[k], int64(p.Max[k])))
	x.demand[k] += int64(max(p.Demand[k], p.Running[k]))
	x.run[k] += int64(sign) * int64(j.Running[k])
}

// Jobs returns the running jobs by priority, then submission. Each observed fact can change the
// list.
func (x *Totals) Jobs() []*Job { return x.queue.Items }

// Job returns the running job with sequence number seq, or nil.
func (x *Totals) Job(seq int32) *Job { return x.jobs.Get(seq) }

// Pools returns the pools in the file and those with jobs, sorted by name.
func (x *Totals) Pools() []*Pool { return x.byName.Items }

// NoClaim is the claim of a job that must not run or has no tasks of the type.
const NoClaim = -1

// Claim returns the weight of a job in its pool if the job may run and has tasks of type k.
// Otherwise, it returns NoClaim.
func (j *Job) Claim(k job.TaskType) float64 { return j.claim[k] }

// ClaimsChanged reports whether the claim of any job has changed since the last call.
func (x *Totals) ClaimsChanged(k job.TaskType) bool {
	changed := x.claims[k]
	x.claims[k] = false
	return changed
}

// Wants reports whether the job has a pending task of type k and may start it.
func (j *Job) Wants(k job.TaskType) bool { return j.wants[k] }

// Pending returns the number of slots that pending tasks of type k would take if as many as
// possible started within all limits.
func (x *Totals) Pending(k job.TaskType) int64 { return x.demand[k] - x.run[k] }
