package adaptive

import (
	"cmp"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/estimate"
)

// descriptor is what the scheduler stores of an active job (section IV-B). Arrays are indexed by job.Map and job.Reduce.
type descriptor struct {
	seq      int32
	priority job.Priority
	submit   int64
	goal     int64 // T_goal in ms since the epoch, 0 = as early as possible
	demand   [2]Demand
	profile  estimate.Profile

	pend    [2]int32 // s_pend and r_pend: tasks that wait
	run     [2]int32 // attempts that run
	reduces int32    // that are not done
	limit   [2]int32 // most attempts at once, 0 = no limit
	started [2]int64 // sum of the starts of those that run
	done    [2]int64 // tasks measured
	spent   [2]int64 // their time in sum

	grant [2]int32 // job-slots in the cluster, by the placement that is in force

	// What the present control cycle comes to.
	mu      float64  // length of a map
	mapGoal int64    // when the maps should be done: the goal less the last wave of reduces
	fit     int32    // s_fit, with the maps that run
	req     int32    // s_req, with the maps that run
	want    [2]int32 // most that can run
	alloc   [2]int32 // s_alloc and r_alloc: job-slots in the cluster, by the placement that is being made
	left    [2]int32 // of them not yet placed on a tracker
	rest    float64  // maps that the reverse fitting has not found a place for
	u       int64    // utility with the present alloc, in millionths
	rank    int32    // place in the order of the cycle
	work    float64  // ms of slot time that its maps still need
	late    bool
	gone    bool
}

// wants reports whether a task of a type waits and may start.
func (d *descriptor) wants(k job.TaskType) bool {
	return d.pend[k] > 0 && (d.limit[k] <= 0 || d.run[k] < d.limit[k])
}

// most is how many attempts of a type could run at once.
func (d *descriptor) most(k job.TaskType) int32 {
	n := d.pend[k] + d.run[k]
	if d.limit[k] > 0 {
		n = min(n, max(d.limit[k], d.run[k]))
	}
	return n
}

// JobStatusUpdater keeps the descriptors of the jobs up to date with what tasks report: s_pend, r_pend and the mean task
// length mu of every job. Jobs without a goal come first, by priority and submission; the others follow by goal.
type JobStatusUpdater struct {
	opt   options
	jobs  []*descriptor
	bySeq map[int32]*descriptor
	done  [2]int64 // of all jobs that ever ran here
	spent [2]int64
}

func compare(a, b *descriptor) int {
	if (a.goal == 0) != (b.goal == 0) {
		return cmp.Compare(b2i(a.goal != 0), b2i(b.goal != 0))
	}
	return cmp.Or(cmp.Compare(a.goal, b.goal), cmp.Compare(b.priority, a.priority), cmp.Compare(a.submit, b.submit), cmp.Compare(a.seq, b.seq))
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// reset reads everything from the view.
func (u *JobStatusUpdater) reset(v scheduler.View) {
	u.jobs, u.bySeq = nil, map[int32]*descriptor{}
	u.done, u.spent = [2]int64{}, [2]int64{}
	for _, seq := range v.Jobs() {
		u.add(v, v.Job(seq))
	}
}

// observe hears a fact.
func (u *JobStatusUpdater) observe(v scheduler.View, e *event.Event) {
	switch e.Type {
	case event.JobStarted, event.JobPriorityChanged, event.JobCommitting, event.JobAborting:
		u.restate(v, e.Job)
	case event.AttemptStarted:
		if d := u.bySeq[e.Job]; d != nil && e.Attempt.Type <= job.Reduce {
			d.started[e.Attempt.Type] += v.Attempt(e.Attempt).Start
			d.reload(v.Job(e.Job))
		}
	case event.AttemptFinished:
		if d := u.bySeq[e.Job]; d != nil && e.Attempt.Type <= job.Reduce {
			a := v.Attempt(e.Attempt)
			d.started[e.Attempt.Type] -= a.Start
			if e.State == job.AttemptSucceeded {
				u.measure(d, a, 1)
			}
			d.reload(v.Job(e.Job))
		}
	case event.TaskReopened: // its output is lost; the attempt no longer counts as a success
		if d := u.bySeq[e.Job]; d != nil {
			u.measure(d, v.Attempt(e.Attempt), -1)
			d.reload(v.Job(e.Job))
		}
	case event.TaskFinished:
		if d := u.bySeq[e.Job]; d != nil {
			d.reload(v.Job(e.Job))
		}
	}
}

// restate takes a job in or out, or moves it, as its state and priority are now.
func (u *JobStatusUpdater) restate(v scheduler.View, seq int32) {
	j := v.Job(seq)
	d := u.bySeq[seq]
	switch {
	case j == nil || j.State != job.Running:
		u.remove(d)
	case d == nil:
		u.add(v, j)
	case d.priority != j.Priority:
		i, _ := slices.BinarySearchFunc(u.jobs, d, compare)
		u.jobs = slices.Delete(u.jobs, i, i+1)
		d.priority = j.Priority
		u.insert(d)
	}
}

func (u *JobStatusUpdater) add(v scheduler.View, j *scheduler.Job) {
	d := &descriptor{seq: j.Seq, priority: j.Priority, submit: j.Submit, goal: j.Spec.Deadline}
	d.limit = [2]int32{j.Spec.MapLimit, j.Spec.ReduceLimit}
	d.demand, _ = demands(j.Spec) // Admit has refused bad ones; of a job that an older policy let in they count as not given
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
	d.reload(j)
	u.insert(d)
	u.bySeq[d.seq] = d
}

func (u *JobStatusUpdater) insert(d *descriptor) {
	i, _ := slices.BinarySearchFunc(u.jobs, d, compare)
	u.jobs = slices.Insert(u.jobs, i, d)
}

func (u *JobStatusUpdater) remove(d *descriptor) {
	if d == nil {
		return
	}
	i, _ := slices.BinarySearchFunc(u.jobs, d, compare)
	u.jobs = slices.Delete(u.jobs, i, i+1)
	delete(u.bySeq, d.seq)
	d.gone = true
	d.pend = [2]int32{} // the placement may still name it
}

func (d *descriptor) reload(j *scheduler.Job) {
	d.pend, d.run = j.Pending, j.Running
	d.reduces = j.Tasks[job.Reduce] - j.Finished[job.Reduce] - j.Failed[job.Reduce]
}

// measure counts the length of a task that is done by times: 1, or -1 to take it back.
func (u *JobStatusUpdater) measure(d *descriptor, a *scheduler.Attempt, by int64) {
	k := a.ID.Type
	length := by * max(0, a.Finish-a.Start)
	d.done[k] += by
	d.spent[k] += length
	u.done[k] += by
	u.spent[k] += length
}

// length is mu: how long a task of a job takes, in ms, at least 1.
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

// known reports whether the length of the job's maps is more than a guess.
func (u *JobStatusUpdater) known(d *descriptor) bool {
	return u.opt.length == LengthGuess || d.done[job.Map] > 0 || d.profile.Map.Avg > 0
}

// ahead is how much of the attempts of a type that run is still to come, in ms of slot time: each runs as long as the mean.
func (u *JobStatusUpdater) ahead(d *descriptor, k job.TaskType, now int64) float64 {
	n := int64(d.run[k])
	gone := n*now - d.started[k]
	return max(0, float64(float64(n)*u.length(d, k))-float64(gone))
}

// tail is how long the job takes after its last map: one wave of reduces, if their length is known. Whether they will need
// more waves depends on slots that nobody has promised yet.
func (u *JobStatusUpdater) tail(d *descriptor) int64 {
	if d.reduces == 0 || d.done[job.Reduce] == 0 && d.profile.Reduce.Avg == 0 {
		return 0
	}
	return int64(u.length(d, job.Reduce))
}
