package simulator

import (
	"fmt"
	"slices"
	"time"

	"github.com/howdah/howdah/internal/plural"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// longestWait is the time in ms for which a run may continue although no task ends and no running
// attempt has a known end. A policy may wait for a better time of day, but not forever.
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
	why, fix := "nothing is running and the scheduler starts nothing", "check that the cluster has slots of both kinds"
	if e.busy > 0 {
		why, fix = "reduces that wait for maps occupy all slots that the scheduler assigns",
			"start reduces later by raising mapreduce.job.reduce.slowstart.completedmaps"
	}
	e.fail(failure.New(failure.Failed, "simulate", e.cfg.Scheduler,
		fmt.Errorf("%s cannot end: %s", plural.Of(len(e.jobs), "job"),
			why)).Fix(fix))
}

// advance records when the job's number of completed tasks reaches a new maximum.
func (e *engine) advance(j *simJob, seq int32) {
	v := e.m.Job(seq)
	if done := v.Finished[job.Map] + v.Finished[job.Reduce]; done > j.best {
		j.best, e.ahead = done, e.now
	}
}

// lasts updates e.longest, the duration of the longest attempt so far.
func (e *engine) lasts(t *task) {
	if t.end != never {
		e.longest = max(e.longest, t.end-t.start)
	}
}

// checkCrashes ends a run in which nodes crash too often for tasks to end. Attempts killed by a
// crash do not count as failed, so their jobs would restart them forever. checkCrashes assumes that
// any other run makes progress within longestWait plus ten times the longest attempt.
func (e *engine) checkCrashes() {
	patience := longestWait + 10*e.longest
	if e.plan.plan.Crash.Every == 0 || len(e.jobs) == 0 || e.now-e.ahead <= patience {
		return
	}
	e.fail(failure.New(failure.Failed, "simulate", e.cfg.Scheduler,
		fmt.Errorf("%s cannot end: nodes crash so often that no job made progress for %v",
			plural.Of(len(e.jobs), "job"), time.Duration(patience)*time.Millisecond)).
		Fix("in the plan's crash clause, make EVERY several times as long " +
			"as the longest task"))
}
