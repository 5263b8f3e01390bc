package pool

import (
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// This file implements delay scheduling. A job whose data is elsewhere lets other jobs go first for
// a while. Its wait grows by the time from a beat that skipped it to the next beat of any tracker
// (FairScheduler.updateLocalityWaitTimes).

// wait is the state of delay scheduling for a job.
type wait struct {
	level  job.Locality // locality of the last map that started
	waited int64        // time since then in which the job was skipped, in ms
	seen   int64        // number of the last beat that tried to start a map of the job
}

// A beat is the state of one call to Assign.
type beat struct {
	v       scheduler.View
	plan    scheduler.Plan
	tracker int32
	number  int64
	at      int64  // time of the heartbeat, in ms since the Unix epoch
	node    int64  // how long a job waits for a node with its data, in ms
	rack    int64  // how long it then waits for a rack, in ms
	skipped []*Job // jobs that this beat has tried without starting a map
}

// Begin starts the decisions for a heartbeat of the tracker. First, it adds the time since the
// previous heartbeat to the waits of the jobs that the previous heartbeat skipped.
func (x *Index) Begin(v scheduler.View, tracker int32, plan scheduler.Plan) {
	b := &x.beat
	for _, j := range b.skipped {
		j.wait.waited += v.Now() - b.at
	}
	clear(b.skipped)
	b.skipped = b.skipped[:0]
	b.v, b.plan, b.tracker, b.at = v, plan, tracker, v.Now()
	b.number++
	b.node, b.rack = x.set.Delays(v.Cluster().Trackers)
}

// End ends the decisions for the heartbeat.
func (x *Index) End() { x.beat.v, x.beat.plan = nil, nil }

// skip counts the job as skipped by this beat. If a map of the job starts, launched reverts that.
func (b *beat) skip(j *Job) {
	if j.wait.seen != b.number {
		j.wait.seen = b.number
		b.skipped = append(b.skipped, j)
	}
}

// launched records the start of a map of j, and restarts the job's wait.
func (b *beat) launched(j *Job, l job.Locality) {
	if l == job.NoData {
		l = job.DataLocal
	}
	j.wait.level, j.wait.waited = l, 0
	for i := len(b.skipped) - 1; i >= 0; i-- {
		if b.skipped[i] == j {
			b.skipped = slices.Delete(b.skipped, i, i+1)
			return
		}
	}
}

// allowed returns how far from its data a map of the job may run now
// (FairScheduler.getAllowedLocalityLevel).
func (x *Index) allowed(j *Job) job.Locality {
	b, w := &x.beat, &j.wait
	switch {
	case x.set.overdue(j.Pool, b.at, job.Map):
		return job.OffSwitch // its pool starves
	case w.level == job.DataLocal && w.waited < b.node:
		return job.DataLocal
	case w.level == job.DataLocal && w.waited < b.node+b.rack, w.level == job.RackLocal && w.waited < b.rack:
		return job.RackLocal
	}
	return job.OffSwitch
}
