package simulator

import (
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
)

// task is an attempt on a node. Its times are in ms of the run's time; never means not yet known.
type task struct {
	node    *node
	id      job.Attempt
	start   int64 // start of the current work; for a reduce that waited for maps, the end of the maps
	sorted  int64 // for a reduce, the end of shuffle and sort
	end     int64
	filler  bool // the task is a reduce that holds its slot and waits for the last map
	fails   bool
	failure string
	share   taskShare

	// The following fields are used only if plan.real is set, with a real tracker.
	child int32
	told  bool // the child has reported the end of the attempt
}

// begin starts the attempt on n and computes when it ends. A reduce that has to wait for the last
// map becomes a filler, with an unknown end, unless the trace records a failure of this attempt.
func (t *task) begin(e *engine, n *node, j *simJob, id job.Attempt) {
	*t = task{node: n, id: id, start: e.now, sorted: never, end: never}
	e.shares.join(e, t, j.result.Name)
	if ms, fails := j.times.Failed(id); fails {
		t.end, t.fails = e.now+n.takes(ms), true
		t.failure = "failed as recorded in the trace"
		return
	}
	if id.Type == job.Map {
		t.end = e.now + n.takes(e.plan.mapTime(e, t, j.times.Map(id.Index)))
		e.plan.chance(e, t)
		return
	}
	if j.mapsEnd == 0 {
		t.filler = true
		j.fillers = append(j.fillers, t)
		return
	}
	t.reduce(e, j, false)
}

// release starts the work of a waiting reduce after the end of the last map.
func (t *task) release(e *engine, j *simJob) {
	t.filler = false
	t.start = e.now
	e.shares.join(e, t, j.result.Name)
	t.reduce(e, j, true)
	e.lasts(t)
}

func (t *task) reduce(e *engine, j *simJob, first bool) {
	shuffle, rest := j.times.Reduce(t.id.Index, first)
	shuffle, rest = e.plan.reduceTime(t, shuffle, rest)
	t.sorted = e.now + t.node.takes(shuffle)
	t.end = t.sorted + t.node.takes(rest)
	e.plan.chance(e, t)
}

// takes returns the time that work of the given recorded duration takes on the node.
func (n *node) takes(ms int64) int64 {
	if n.speed == million {
		return ms
	}
	return (ms*million + n.speed - 1) / n.speed
}

func (t *task) over(now int64) bool { return t.end <= now }

// news returns the time of the attempt's next report, other than progress.
func (t *task) news(now int64) int64 {
	if t.id.Type == job.Reduce && now < t.sorted {
		return min(t.sorted, t.end)
	}
	return t.end
}

// tell returns the attempt's report, for a heartbeat.
func (t *task) tell(now int64) heartbeat.AttemptReport {
	r := heartbeat.AttemptReport{Attempt: t.id, State: job.AttemptRunning, Phase: job.PhaseMap}
	if t.id.Type == job.Reduce {
		t.tellReduce(&r, now)
	} else if t.share.rate > 0 {
		r.Progress = int32(t.share.progress(now, t.end))
	} else {
		r.Progress = part(now-t.start, t.end-t.start)
	}
	if !t.over(now) {
		return r
	}
	r.State = job.AttemptSucceeded
	if t.fails {
		r.State, r.Kind, r.Text = job.AttemptFailed, failure.Failed, t.failure
	}
	return r
}

// tellReduce fills in the report of a reduce. Copy, sort, and reduce account for a third each, as
// in Hadoop. The trace has a single duration for copy and sort.
func (t *task) tellReduce(r *heartbeat.AttemptReport, now int64) {
	switch {
	case t.filler:
		r.Phase = job.PhaseShuffle
	case now < t.sorted:
		r.Phase = job.PhaseShuffle
		r.Progress = part(now-t.start, t.sorted-t.start) / 3 * 2
	default:
		r.Phase = job.PhaseReduce
		r.ShuffleDone, r.SortDone = t.sorted, t.sorted
		r.Progress = 666_666 + part(now-t.sorted, t.end-t.sorted)/3
	}
}

// part returns done/all in millionths.
func part(done, all int64) int32 {
	if all <= 0 {
		return million
	}
	return int32(min(max(0, done), all) * million / all)
}

func (j *simJob) forget(t *task) {
	if i := slices.Index(j.fillers, t); i >= 0 {
		j.fillers = slices.Delete(j.fillers, i, i+1)
	}
}
