package simulator

import (
	"fmt"
	"slices"
	"time"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// longestWait is how long a run may go on in which no attempt has an end and no task is done: a policy may wait for a better
// hour of the day, but not for ever.
const longestWait = 26 * 3600 * 1000

// checkStuck ends a run that would never end.
func (e *engine) checkStuck() {
	e.checkCrashes()
	if e.next != nil || e.now-e.lastDone <= longestWait || e.plan.more() {
		return
	}
	for _, n := range e.nodes {
		if slices.ContainsFunc(n.tasks, func(t *task) bool { return t.end != never }) {
			return
		}
	}
	why, fix := "nothing runs and the scheduler starts nothing", "has the cluster slots of both kinds?"
	if e.busy > 0 {
		why, fix = "reduces wait for maps in all slots that the scheduler gives them", "let reduces start later: mapreduce.job.reduce.slowstart.completedmaps"
	}
	e.fail(failure.New(failure.Failed, "simulate", e.cfg.Scheduler, fmt.Errorf("%d jobs never end: %s", len(e.jobs), why)).Fix(fix))
}

// advance notes that a job has more tasks done than ever.
func (e *engine) advance(j *simJob, seq int32) {
	v := e.m.Job(seq)
	if done := v.Finished[job.Map] + v.Finished[job.Reduce]; done > j.best {
		j.best, e.ahead = done, e.now
	}
}

// lasts notes how long an attempt is going to take.
func (e *engine) lasts(t *task) {
	if t.end != never {
		e.longest = max(e.longest, t.end-t.start)
	}
}

// checkCrashes ends a run in which nodes crash more often than tasks need to end: attempts that a crash kills do not count as
// failed, so their jobs would start them again for ever. Ten times the longest attempt is enough for any that has a chance.
func (e *engine) checkCrashes() {
	patience := longestWait + 10*e.longest
	if e.plan.plan.Crash.Every == 0 || len(e.jobs) == 0 || e.now-e.ahead <= patience {
		return
	}
	e.fail(failure.New(failure.Failed, "simulate", e.cfg.Scheduler, fmt.Errorf("%d jobs never end: nodes crash so often that none of them got further for %v",
		len(e.jobs), time.Duration(patience)*time.Millisecond)).Fix("make EVERY of the plan's crash several times as long as the longest task"))
}
