package tasklevel

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

var (
	_ scheduler.View = (*engine)(nil)
	_ scheduler.Plan = (*engine)(nil)
)

// Now implements scheduler.View.
func (e *engine) Now() int64 { return e.now }

// Cluster implements scheduler.View.
func (e *engine) Cluster() scheduler.Totals { return e.totals }

// Jobs implements scheduler.View.
func (e *engine) Jobs() []int32 { return e.running }

// Job implements scheduler.View.
func (e *engine) Job(seq int32) *scheduler.Job {
	if j := e.jobs.Get(seq); j != nil {
		return &j.view
	}
	return nil
}

// Trackers implements scheduler.View.
func (e *engine) Trackers() []int32 { return e.handles }

// Tracker implements scheduler.View.
func (e *engine) Tracker(handle int32) *scheduler.Tracker {
	if handle < 1 || int(handle) > len(e.trackers) {
		return nil
	}
	return &e.trackers[handle-1]
}

// PickMap implements scheduler.View. It ignores locality because every map can run on every
// tracker.
func (e *engine) PickMap(seq, _ int32, _ job.Locality) (int32, job.Locality, bool) {
	j := e.jobs.Get(seq)
	if j == nil {
		return 0, 0, false
	}
	i, ok := j.pick(job.Map)
	return i, job.NoData, ok
}

// PickReduce implements scheduler.View.
func (e *engine) PickReduce(seq, _ int32) (int32, bool) {
	j := e.jobs.Get(seq)
	if j == nil {
		return 0, false
	}
	return j.pick(job.Reduce)
}

// Running implements scheduler.View.
func (e *engine) Running(seq int32, t job.TaskType, buf []*scheduler.Attempt) []*scheduler.Attempt {
	j := e.jobs.Get(seq)
	if j == nil || t > job.Reduce {
		return buf
	}
	for i := j.oldest[t]; i != waiting; {
		x := e.pool.at(i)
		buf = append(buf, e.progressed(j, x))
		i = x.after
	}
	return buf
}

// Ended implements scheduler.View. The engine keeps no ended attempts. It installs its policy
// before the first job, so the policy observes every end.
func (e *engine) Ended(_ int32, _ job.TaskType, buf []*scheduler.Attempt) []*scheduler.Attempt {
	return buf
}

// Attempt implements scheduler.View. The only ended attempt that it finds is the one whose end the
// policy is observing.
func (e *engine) Attempt(id job.Attempt) *scheduler.Attempt {
	if e.ended != nil && e.ended.attempt.ID == id {
		return &e.ended.attempt
	}
	j := e.jobs.Get(id.Job)
	if j == nil {
		return nil
	}
	if t := e.runs(j, id); t != nil {
		return e.progressed(j, t)
	}
	return nil
}

// progressed updates the progress of the running attempt and returns the attempt. This engine has
// no heartbeats, so progress is computed on demand.
func (e *engine) progressed(j *jobState, t *task) *scheduler.Attempt {
	a := &t.attempt
	if a.ID.Type == job.Map {
		a.Phase = job.PhaseMap
		a.Progress = share(e.now-a.Start, j.times.Map(a.ID.Index))
		return a
	}
	e.reduceProgress(j, t)
	return a
}

// reduceProgress updates the phase and progress of the reduce. Copy, sort, and reduce account for a
// third each, as in Hadoop. This engine treats shuffle and sort as a single phase.
func (e *engine) reduceProgress(j *jobState, t *task) {
	a := &t.attempt
	a.Phase = job.PhaseShuffle
	if t.filler {
		a.Progress = share(int64(j.view.Finished[job.Map]), int64(j.view.Tasks[job.Map])) / 3
		return
	}
	first := a.Start < j.result.MapsDone
	shuffle, rest := j.times.Reduce(a.ID.Index, first)
	done := e.net.fetched(a.ID.Task, max(a.Start, j.result.MapsDone)) + shuffle
	if e.now < done {
		a.Progress = share(shuffle-(done-e.now), shuffle) / 3 * 2
		return
	}
	a.Phase, a.ShuffleDone, a.SortDone = job.PhaseReduce, done, done
	a.Progress = 666_666 + share(e.now-done, rest)/3
}

// share returns part/whole in millionths.
func share(part, whole int64) int32 {
	if whole <= 0 {
		return 1_000_000
	}
	return int32(min(max(0, part*1_000_000/whole), 1_000_000))
}
