package pool

import (
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// Delay scheduling: a job whose turn it is but whose data is elsewhere lets others go first for a while. The time counts from
// a beat that skipped it to the next beat of any tracker (FairScheduler.updateLocalityWaitTimes).

// wait is what a job remembers of it.
type wait struct {
	level  job.Locality // of the map that started last
	waited int64        // ms since then that it was skipped
	seen   int64        // number of the beat that asked it for a map
}

// beat is one call of Assign.
type beat struct {
	v       scheduler.View
	plan    scheduler.Plan
	tracker int32
	number  int64
	at      int64
	node    int64 // delays
	rack    int64
	skipped []*Job // asked for a map and none started, so far
}

// Begin starts the decisions for a beat of a tracker.
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

// End closes a beat.
func (x *Index) End() { x.beat.v, x.beat.plan = nil, nil }

// skip notes that a job was asked for a map.
func (b *beat) skip(j *Job) {
	if j.wait.seen != b.number {
		j.wait.seen = b.number
		b.skipped = append(b.skipped, j)
	}
}

// launched notes that a map of a job started: it waits anew.
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

// allowed is how far from its data a job's map may run now (FairScheduler.getAllowedLocalityLevel).
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
