package adaptive

import (
	"cmp"
	"slices"

	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/backlog"
	"github.com/howdah/howdah/scheduler/estimate"
)

// A descriptor holds the scheduler's data about an active job (section IV-B). job.Map and
// job.Reduce index its arrays.
type descriptor struct {
	seq      int32
	priority job.Priority
	submit   int64
	goal     int64 // T_goal in ms since the Unix epoch; 0 = as early as possible
	demand   [2]Demand
	profile  estimate.Profile

	pend    [2]int32 // s_pend and r_pend: pending tasks
	run     [2]int32 // running attempts
	reduces int32    // unfinished reduces
	limit   [2]int32 // maximum number of concurrent attempts; 0 = no limit
	started [2]int64 // sum of the start times of the running attempts, in ms
	done    [2]int64 // number of measured tasks
	spent   [2]int64 // sum of the lengths of measured tasks, in ms

	grant  [2]int32 // job-slots in the cluster under the current placement
	listed [2]bool  // in JobStatusUpdater.waiting

	// Results of the current control cycle.
	mu      float64  // length of a map, in ms
	aim     int64    // goal at the start of the cycle, because the goal can change during it
	mapGoal int64    // goal for the maps: the job's goal minus the last wave of reduces
	fit     int32    // s_fit; includes running maps if more must start (see settle)
	req     int32    // s_req, including running maps
	want    [2]int32 // maximum number of attempts that could run
	alloc   [2]int32 // s_alloc and r_alloc: job-slots in the placement that is being computed
	left    [2]int32 // job-slots without a tracker
	rest    float64  // maps for which Algorithm 1 has found no room
	u       int64    // utility with the current alloc, in millionths
	rank    int32    // index in the order of the JobStatusUpdater
	work    float64  // time that the maps still need, in ms; accept converts it to slot-ms
	late    bool     // the rule for late jobs applies
	gone    bool     // the job no longer runs, but the placement may still refer to it
}

// wants reports whether a task of type k is pending and may start.
func (d *descriptor) wants(k job.TaskType) bool {
	return d.pend[k] > 0 && (d.limit[k] <= 0 || d.run[k] < d.limit[k])
}

// most returns how many attempts of type k could run concurrently.
func (d *descriptor) most(k job.TaskType) int32 {
	n := d.pend[k] + d.run[k]
	if d.limit[k] > 0 {
		n = min(n, max(d.limit[k], d.run[k]))
	}
	return n
}

// A JobStatusUpdater keeps the descriptors of jobs up to date from task reports: s_pend, r_pend,
// and the mean task length mu of every job. It sorts jobs without a goal first, by priority and
// submission, then the others, by goal.
type JobStatusUpdater struct {
	opt     options
	jobs    []*descriptor
	bySeq   ordered.Window[descriptor]
	waiting [2]backlog.List[*descriptor, Demand] // jobs with a task to start
	done    [2]int64                             // like done and spent of a descriptor, but over all jobs
	spent   [2]int64
}

func newUpdater(o options) JobStatusUpdater {
	u := JobStatusUpdater{opt: o}
	for k := range u.waiting {
		u.waiting[k].Compare = compare
	}
	return u
}

func compare(a, b *descriptor) int {
	if (a.goal == 0) != (b.goal == 0) {
		return cmp.Compare(b2i(a.goal != 0), b2i(b.goal != 0))
	}
	return cmp.Or(cmp.Compare(a.goal, b.goal), cmp.Compare(b.priority, a.priority), cmp.Compare(a.submit, b.submit),
		cmp.Compare(a.seq, b.seq))
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (u *JobStatusUpdater) reset(v scheduler.View) {
	u.jobs = nil
	u.bySeq.Clear()
	u.done, u.spent = [2]int64{}, [2]int64{}
	for k := range u.waiting {
		u.waiting[k].Clear()
	}
	for _, seq := range v.Jobs() {
		u.add(v, v.Job(seq))
	}
}

func (u *JobStatusUpdater) observe(v scheduler.View, e *event.Event) {
	switch e.Type {
	case event.JobStarted, event.JobPriorityChanged, event.JobDeadlineChanged, event.JobCommitting, event.JobAborting:
		u.restate(v, e.Job)
	case event.AttemptStarted:
		if d := u.bySeq.Get(e.Job); d != nil && e.Attempt.Type <= job.Reduce {
			d.started[e.Attempt.Type] += v.Attempt(e.Attempt).Start
			u.reload(d, v.Job(e.Job))
		}
	case event.AttemptFinished:
		if d := u.bySeq.Get(e.Job); d != nil && e.Attempt.Type <= job.Reduce {
			a := v.Attempt(e.Attempt)
			d.started[e.Attempt.Type] -= a.Start
			if e.State == job.AttemptSucceeded {
				u.measure(d, a, 1)
			}
			u.reload(d, v.Job(e.Job))
		}
	case event.TaskReopened: // the output is lost, so the attempt no longer counts as successful
		if d := u.bySeq.Get(e.Job); d != nil {
			u.measure(d, v.Attempt(e.Attempt), -1)
			u.reload(d, v.Job(e.Job))
		}
	case event.TaskFinished:
		if d := u.bySeq.Get(e.Job); d != nil {
			u.reload(d, v.Job(e.Job))
		}
	}
}

// restate adds, removes, or moves the job according to its current state, priority, and goal.
func (u *JobStatusUpdater) restate(v scheduler.View, seq int32) {
	j := v.Job(seq)
	d := u.bySeq.Get(seq)
	switch {
	case j == nil || j.State != job.Running:
		u.remove(d)
	case d == nil:
		u.add(v, j)
	case d.priority != j.Priority || d.goal != j.Spec.Deadline:
		u.take(d)
		d.priority, d.goal = j.Priority, j.Spec.Deadline
		u.put(d)
	}
}

func (u *JobStatusUpdater) add(v scheduler.View, j *scheduler.Job) {
	d := &descriptor{seq: j.Seq, priority: j.Priority, submit: j.Submit, goal: j.Spec.Deadline}
	d.limit = [2]int32{j.Spec.MapLimit, j.Spec.ReduceLimit}
	// Admit rejects invalid profiles, but an earlier policy may have admitted the job. In that case,
	// treat the profile as unset.
	d.demand, _ = demands(j.Spec)
	for k := range d.demand {
		d.demand[k][Slot] = int64(max(1, j.Width[k]))
	}
	d.profile = estimate.Given(j.Spec)
	for k := range job.TaskType(2) {
		for _, a := range v.Running(j.Seq, k, nil) {
			d.started[k] += a.Start
		}
		for _, a := range v.Ended(j.Seq, k, nil) {
			if a.State == job.AttemptSucceeded {
				u.measure(d, a, 1)
			}
		}
	}
	d.load(j)
	u.put(d)
	u.bySeq.Put(d.seq, d)
}

func (u *JobStatusUpdater) put(d *descriptor) {
	i, _ := slices.BinarySearchFunc(u.jobs, d, compare)
	u.jobs = slices.Insert(u.jobs, i, d)
	u.list(d)
}

func (u *JobStatusUpdater) take(d *descriptor) {
	i, _ := slices.BinarySearchFunc(u.jobs, d, compare)
	u.jobs = slices.Delete(u.jobs, i, i+1)
	for k := range u.waiting {
		u.waiting[k].Set(d, d.demand[k], &d.listed[k], false)
	}
}

// list updates the two lists of waiting jobs, one for maps and one for reduces. Each list contains
// the job if the job has a task of that type to start.
func (u *JobStatusUpdater) list(d *descriptor) {
	for k := range job.TaskType(2) {
		u.waiting[k].Set(d, d.demand[k], &d.listed[k], d.wants(k))
	}
}

func (u *JobStatusUpdater) remove(d *descriptor) {
	if d == nil {
		return
	}
	u.take(d)
	u.bySeq.Delete(d.seq)
	d.gone = true
	d.pend = [2]int32{} // the placement may still refer to the job
}

func (u *JobStatusUpdater) reload(d *descriptor, j *scheduler.Job) {
	d.load(j)
	u.list(d)
}

func (d *descriptor) load(j *scheduler.Job) {
	d.pend, d.run = j.Pending, j.Running
	d.reduces = j.Tasks[job.Reduce] - j.Finished[job.Reduce] - j.Failed[job.Reduce]
}

// measure adds the length of a finished task to the sums. If by is -1, it subtracts the length.
func (u *JobStatusUpdater) measure(d *descriptor, a *scheduler.Attempt, by int64) {
	k := a.ID.Type
	length := by * max(0, a.Finish-a.Start)
	d.done[k] += by
	d.spent[k] += length
	u.done[k] += by
	u.spent[k] += length
}

// length returns mu, the task length of the job in ms, at least 1.
func (u *JobStatusUpdater) length(d *descriptor, k job.TaskType) float64 {
	given := d.profile.Map.Avg
	if k == job.Reduce {
		given = d.profile.Typical.Avg + d.profile.Reduce.Avg
	}
	switch {
	case u.opt.length == LengthGuess:
	case u.opt.length == LengthProfile && given > 0:
		return max(1, given)
	case d.done[k] > 0:
		return max(1, float64(d.spent[k])/float64(d.done[k]))
	case given > 0:
		return max(1, given)
	case u.done[k] > 0:
		return max(1, float64(u.spent[k])/float64(u.done[k]))
	}
	return float64(u.opt.guess)
}

// known reports whether the map length of the job comes from the job's own maps or profile. If the
// policy always uses the guess, known returns true.
func (u *JobStatusUpdater) known(d *descriptor) bool {
	return u.opt.length == LengthGuess || d.done[job.Map] > 0 || d.profile.Map.Avg > 0
}

// ahead returns the remaining time of the job's running attempts of type k, summed over the
// attempts, in ms. It assumes that each attempt takes the mean time.
func (u *JobStatusUpdater) ahead(d *descriptor, k job.TaskType, now int64) float64 {
	n := int64(d.run[k])
	gone := n*now - d.started[k]
	return max(0, float64(float64(n)*u.length(d, k))-float64(gone))
}

// tail returns the time from the end of the job's last map to the end of the job, in ms. It assumes
// one wave of reduces. The number of additional waves is unknown, because it depends on slots that
// are not assigned yet. If no reduces are left, or none is measured and the profile has no reduce
// phase, tail returns 0.
func (u *JobStatusUpdater) tail(d *descriptor) int64 {
	if d.reduces == 0 || d.done[job.Reduce] == 0 && d.profile.Reduce.Avg == 0 {
		return 0
	}
	return int64(u.length(d, job.Reduce))
}
