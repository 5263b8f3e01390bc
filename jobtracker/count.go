package jobtracker

import "github.com/howdah/howdah/job"

// The job's own counters, Hadoop's group "Job Counters ". They are computed only from facts.

func (j *jobState) countLaunch(k *task, a *attempt) {
	if a.view.ID.Type > job.Reduce {
		return // Hadoop counts only maps and reduces
	}
	j.countScheduler(k, a)
	c := &j.counters.Builtin
	if a.view.ID.Type == job.Reduce {
		c[job.LaunchedReduces]++
		return
	}
	c[job.LaunchedMaps]++
	switch a.view.Locality {
	case job.DataLocal:
		c[job.DataLocalMaps]++
	case job.RackLocal:
		c[job.RackLocalMaps]++
	default:
		c[job.OtherLocalMaps]++
	}
}

// countScheduler updates the job's counters of attempts in borrowed slots and of speculative
// attempts. An attempt can count as both.
func (j *jobState) countScheduler(k *task, a *attempt) {
	typ := a.view.ID.Type
	if a.view.Slot <= job.Reduce && a.view.Slot != typ {
		j.counters.Add(job.GroupScheduler, [2]string{job.BorrowedMaps, job.BorrowedReduces}[typ], 1)
	}
	if k.live > 1 {
		j.counters.Add(job.GroupScheduler, [2]string{job.SpeculativeMaps, job.SpeculativeReduces}[typ], 1)
	}
}

func (j *jobState) countEnd(a *attempt) {
	if a.view.ID.Type > job.Reduce {
		return
	}
	c, s := &j.counters.Builtin, j.view.Spec
	ms := max(0, a.view.Finish-a.view.Start)
	occupied := ms * int64(a.view.Width)
	if a.view.ID.Type == job.Reduce {
		c[job.SlotsMillisReduces] += occupied
		c[job.MillisReduces] += ms
		c[job.VCoresMillisReduces] += ms * int64(s.ReduceVCores)
		c[job.MBMillisReduces] += ms * int64(s.ReduceMemory)
	} else {
		c[job.SlotsMillisMaps] += occupied
		c[job.MillisMaps] += ms
		c[job.VCoresMillisMaps] += ms * int64(s.MapVCores)
		c[job.MBMillisMaps] += ms * int64(s.MapMemory)
	}
	j.countLost(a)
}

// countLost counts an attempt that failed or was killed, even if it had succeeded before.
func (j *jobState) countLost(a *attempt) {
	c := &j.counters.Builtin
	switch {
	case a.view.State == job.AttemptFailed && a.view.ID.Type == job.Map:
		c[job.FailedMaps]++
	case a.view.State == job.AttemptFailed:
		c[job.FailedReduces]++
	case a.view.State == job.AttemptKilled && a.view.ID.Type == job.Map:
		c[job.KilledMaps]++
	case a.view.State == job.AttemptKilled:
		c[job.KilledReduces]++
	}
}

// tally adds a successful attempt's counters to the job's user counters. It does nothing once the
// user counters exceed the limits.
func (j *jobState) tally(c *job.Counters) {
	if c != nil && j.tooManyCounters() == nil {
		j.tallied.Merge(&job.Counters{User: c.User})
	}
}

// tooManyCounters returns an error if the job's tasks together exceed the limits on counters.
func (j *jobState) tooManyCounters() error {
	return j.tallied.CheckLimits(j.view.Spec.MaxCounters, j.view.Spec.MaxCounterGroups)
}

// total adds the counters of the job and of its successful attempts to c. If running is set, it
// also adds the counters of each running task's leader.
func (j *jobState) total(c *job.Counters, running bool) {
	c.Merge(&j.counters)
	for _, t := range []job.TaskType{job.Map, job.Reduce} {
		j.totalOf(c, t, running)
	}
}

// totalOf merges the counters of the tasks of one type into c. It reports whether it has found those
// of all tasks.
func (j *jobState) totalOf(c *job.Counters, t job.TaskType, running bool) (complete bool) {
	complete = true
	for i := range j.tasks[t] {
		k := &j.tasks[t][i]
		switch {
		case k.course == &compacted:
			complete = false // it has no counters
		case k.winner >= 0:
			k.attempts()[k.winner].counters.mergeInto(c)
		case running && k.live > 0:
			k.leader().counters.mergeInto(c)
		}
	}
	return complete
}

// lead adds sign times the progress of the task's leader, if any, to the job's sum. It is called
// with -1 before a change of the task's running attempts and with +1 after it, so that a job's
// progress is known without a look at each of its tasks.
func (j *jobState) lead(k *task, typ job.TaskType, sign int64) {
	if typ <= job.Reduce && k.live > 0 {
		j.leading[typ] += sign * int64(k.leader().view.Progress)
	}
}

// leader returns the task's running attempt with the most progress. Its counters represent the task
// while the task runs.
func (k *task) leader() *attempt {
	var best *attempt
	for _, a := range k.attempts() {
		if !a.over() && (best == nil || a.view.Progress > best.view.Progress) {
			best = a
		}
	}
	return best
}
