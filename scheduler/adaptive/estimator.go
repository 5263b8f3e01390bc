package adaptive

import (
	"cmp"
	"math"
	"slices"

	"github.com/howdah/howdah/job"
)

// A WorkloadEstimator computes how many maps of each job must run concurrently to meet the job's
// goal. s_req is the average number until the goal, and s_fit is the number in the next cycle
// (section IV-B). It also predicts the capacity with f(t).
type WorkloadEstimator struct {
	opt     options
	updater *JobStatusUpdater
	groups  []group // trackers grouped by curve
	// held is the number of slots that running maps occupy. rest is the mean time that these maps
	// still need, in ms.
	held float64
	rest float64

	foresees bool    // predict with f(t) instead of the current capacity
	present  float64 // current map slots of all trackers

	now   int64
	ahead int64              // time from now to the first period of Algorithm 1, in ms
	jobs  []*descriptor      // J of Algorithm 1, ordered by the goal for their maps
	open  []*descriptor      // P: jobs with unplaced work that may run in the current period
	i, k  int                // position in Algorithm 1: index in jobs, counting down, and index in open
	from  int64              // a, the start of the current period
	to    int64              // b, the end of the current period
	room  [resources]float64 // remaining room of the current period, in the units of integral
}

// A group holds the total resources of the trackers that share a curve.
type group struct {
	curve *Curve
	whole [resources]float64 // map slots and other resources where f(t) = 1, minus the buffer; < 0 = unlimited
}

// integral returns the predicted amount of the resource between a and b, in ms times the resource's
// unit. A negative result means unlimited.
func (e *WorkloadEstimator) integral(a, b int64, r Resource) float64 {
	sum := 0.0
	for i := range e.groups {
		g := &e.groups[i]
		if g.whole[r] < 0 {
			return unlimited
		}
		sum += float64(g.whole[r] * g.curve.Integral(a, b, r))
	}
	return sum
}

// slots returns the slot-ms between a and b that are left for new tasks. It subtracts the time that
// running maps still occupy their slots.
func (e *WorkloadEstimator) slots(a, b int64) float64 {
	overlap := min(float64(b-e.now), e.rest) - float64(a-e.now)
	return max(0, e.integral(a, b, Slot)-float64(e.held*max(0, overlap)))
}

// begin starts a control cycle. It computes held, rest, and ahead from the maps of all jobs.
func (e *WorkloadEstimator) begin(now int64) {
	e.now = now
	e.held, e.rest = 0, 0
	ahead, waiting, time := 0.0, 0.0, 0.0
	for _, d := range e.updater.jobs {
		width := float64(d.demand[job.Map][Slot])
		e.held += float64(float64(d.run[job.Map]) * width)
		ahead += float64(e.updater.ahead(d, job.Map, now) * width)
		waiting += float64(d.pend[job.Map])
		time += float64(float64(d.pend[job.Map]) * e.updater.length(d, job.Map))
	}
	e.ahead = e.opt.cycle
	if e.opt.horizon && waiting > 0 {
		e.ahead = max(e.ahead, int64(time/waiting))
	}
	if e.held > 0 {
		e.rest = ahead / e.held
	}
}

// require computes the job's needs before Algorithm 1 runs. They are want, the number of attempts
// that could run, and s_req, the average number of maps that must run until the goal. It also sets
// s_fit to s_req.
func (e *WorkloadEstimator) require(d *descriptor) {
	d.mu = e.updater.length(d, job.Map)
	d.aim = d.goal
	d.mapGoal = d.aim - e.updater.tail(d)
	mu, ahead := d.mu, e.updater.ahead(d, job.Map, e.now)
	d.want = [2]int32{d.most(job.Map), d.most(job.Reduce)}
	d.alloc, d.left = [2]int32{}, [2]int32{}
	d.work = float64(float64(d.pend[job.Map])*mu) + ahead
	d.late = e.isLate(d, mu)
	switch {
	case d.aim == 0, d.late && e.opt.late != LateDemote:
		d.req = d.want[job.Map]
	case d.late:
		d.req = min(1, d.want[job.Map])
	default:
		d.req = e.average(d, mu, ahead)
	}
	d.fit = d.req
}

func (e *WorkloadEstimator) isLate(d *descriptor, mu float64) bool {
	switch {
	case d.aim == 0:
		return false
	case e.now >= d.aim:
		return true
	case e.opt.when != WhenHopeless || d.pend[job.Map] == 0:
		return false
	}
	goal := d.mapGoal
	return float64(goal-e.now) < mu || float64(d.work*float64(d.demand[job.Map][Slot])) > e.foreseen(goal)
}

// foreseen returns how many slot-ms the policy expects all trackers to offer from now until the
// given time. The Adaptive scheduler assumes that the capacity does not change.
func (e *WorkloadEstimator) foreseen(until int64) float64 {
	if e.foresees {
		return e.integral(e.now, until, Slot)
	}
	return float64(e.present * float64(until-e.now))
}

// average returns s_req. The job must not be late. s_req is the number of slots with which the
// job's maps end just in time, but at most the number that the job could use. A policy that
// predicts with f(t) also limits it to the average capacity until the goal (section IV-B).
func (e *WorkloadEstimator) average(d *descriptor, mu, ahead float64) int32 {
	want, window := d.want[job.Map], float64(d.mapGoal-e.now)
	if window <= 0 {
		return want
	}
	need := math.Ceil(d.work / window)
	if e.opt.whole {
		need = max(need, wholeNeed(d, mu, ahead, window))
	}
	if e.foresees && e.opt.average {
		need = min(need, e.offered(d, window))
	}
	if need >= float64(want) {
		return want
	}
	return int32(need)
}

// offered returns how many of the job's maps can run at the same time on the average capacity
// between now and the job's map goal, which is window ms away. It is at least 1.
func (e *WorkloadEstimator) offered(d *descriptor, window float64) float64 {
	n := math.Inf(1)
	for r, each := range d.demand[job.Map] {
		if sum := e.integral(e.now, d.mapGoal, Resource(r)); each > 0 && sum != unlimited {
			n = min(n, math.Floor(sum/(window*float64(each))))
		}
	}
	return max(1, n)
}

// wholeNeed returns the number of slots that the job needs if tasks cannot be split. A free slot
// runs a whole number of tasks until the goal. An occupied slot runs as many as fit after its
// current task. If not even one task ends in time, wholeNeed returns +Inf.
func wholeNeed(d *descriptor, mu, ahead, window float64) float64 {
	fresh := math.Floor(window / mu)
	if fresh < 1 {
		return math.Inf(1)
	}
	run, pend := float64(d.run[job.Map]), float64(d.pend[job.Map])
	if run == 0 {
		return math.Ceil(pend / fresh)
	}
	again := max(0, math.Floor((window-ahead/run)/mu))
	if pend <= float64(run*again) {
		return math.Ceil(pend / again)
	}
	return run + math.Ceil((pend-float64(run*again))/fresh)
}

// reverse starts Algorithm 1 (lines 1 to 5) for the jobs that have a goal and are not late.
func (e *WorkloadEstimator) reverse(jobs []*descriptor) {
	e.jobs = e.jobs[:0]
	for _, d := range jobs {
		if d.aim != 0 && !d.late {
			d.rest = float64(d.pend[job.Map])
			e.jobs = append(e.jobs, d)
		}
	}
	slices.SortFunc(e.jobs, byMapGoal)
	e.open = e.open[:0]
	e.i, e.k = len(e.jobs), 0
}

// byMapGoal orders jobs by the time when their maps should be done. A job with long reduces may
// come before a job with an earlier goal.
func byMapGoal(a, b *descriptor) int {
	return cmp.Or(cmp.Compare(a.mapGoal, b.mapGoal), cmp.Compare(a.rank, b.rank))
}

// step continues Algorithm 1 until the budget is used up, and reports whether the algorithm has
// ended.
func (e *WorkloadEstimator) step(budget *int) bool {
	for {
		for e.k < len(e.open) {
			if *budget--; *budget < 0 {
				return false
			}
			d := e.open[e.k]
			d.rest -= e.fitting(d)
			if d.rest <= 0 { // the job needs nothing from earlier periods
				e.open = append(e.open[:e.k], e.open[e.k+1:]...)
			} else {
				e.k++
			}
			if e.room[Slot] < 1 {
				break
			}
		}
		if e.i == 0 {
			return true
		}
		e.i--
		e.period()
	}
}

// period starts the period that ends at the map goal of job i and begins at the map goal of the job
// before it (lines 6 to 8). No period begins before now + ahead.
func (e *WorkloadEstimator) period() {
	d := e.jobs[e.i]
	e.open = append(e.open, d)
	start := e.now + e.ahead // work that does not fit after start must begin in the next cycle
	e.to, e.from, e.k = max(start, d.mapGoal), start, 0
	if e.i > 0 {
		e.from = max(start, e.jobs[e.i-1].mapGoal)
	}
	e.room[Slot] = e.slots(e.from, e.to)
	for r := CPU; r < resources; r++ {
		e.room[r] = e.integral(e.from, e.to, r)
	}
}

// fitting implements fit(j, a, b) of Algorithm 1. It returns how many of the job's tasks fit into
// the current period, and reserves the room for them. Tasks count by their work, so a fraction of a
// task may fit.
func (e *WorkloadEstimator) fitting(d *descriptor) float64 {
	n, mu := d.rest, d.mu
	if e.opt.whole { // concurrent tasks cannot exceed the pending tasks
		n = min(n, float64(float64(d.pend[job.Map])*float64(e.to-e.from))/mu)
	}
	for r, room := range e.room {
		if need := float64(mu * float64(d.demand[job.Map][r])); need > 0 && e.room[r] != unlimited {
			n = min(n, max(0, room)/need)
		}
	}
	for r := range e.room {
		if e.room[r] != unlimited {
			e.room[r] = max(0, e.room[r]-float64(float64(n*mu)*float64(d.demand[job.Map][r])))
		}
	}
	return n
}

// settle sets s_fit from the work for which Algorithm 1 found no room. For jobs without a goal and
// for late jobs, s_fit keeps the value that require has set.
func (e *WorkloadEstimator) settle(d *descriptor) {
	if d.aim == 0 || d.late {
		return
	}
	rest := d.rest
	if e.opt.whole {
		rest = max(rest, e.unsplit(d))
	}
	// Running tasks keep their slots anyway. If a job needs no more than those, s_fit must be 0, or
	// else the job would get the same slots again after its tasks end.
	d.fit = 0
	if more := int32(math.Ceil(rest - 1e-6)); more > 0 {
		d.fit = min(d.want[job.Map], more+d.run[job.Map])
	}
}

// unsplit returns how many whole tasks of the job must start in the next cycle because they do not
// fit into the slots after that cycle. A negative number means that more tasks would fit.
func (e *WorkloadEstimator) unsplit(d *descriptor) float64 {
	start, goal := e.now+e.ahead, d.mapGoal
	if goal <= start {
		return float64(d.pend[job.Map])
	}
	waves := math.Floor(float64(goal-start) / d.mu)
	slots := e.integral(start, goal, Slot) / float64(goal-start)
	return float64(d.pend[job.Map]) - float64(waves*slots)
}
