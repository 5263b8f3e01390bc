package estimate

import (
	"math"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// A Predictor predicts when running jobs end under any policy. It uses the measurements of its
// Learner and the slots of the job. It is not safe for concurrent use.
type Predictor struct {
	Learner *Learner
	buf     []*scheduler.Attempt
}

// NewPredictor returns a Predictor. The caller keeps the Learner up to date.
func NewPredictor(l *Learner) *Predictor { return &Predictor{Learner: l} }

// Present returns the number of slots that the job has now, one per running attempt. If no attempt
// of a type is running, it assumes one slot per task, but at most as many as the cluster has.
func Present(v scheduler.View, seq int32) (slots [2]int32) {
	j := v.Job(seq)
	if j == nil {
		return slots
	}
	for k := range slots {
		slots[k] = j.Running[k]
		if slots[k] == 0 {
			slots[k] = min(j.Tasks[k], v.Cluster().Slots[k])
		}
	}
	return slots
}

// Expect predicts when the job ends under the policy, in milliseconds since the Unix epoch: as the
// policy plans it (scheduler.Goal), or else with the slots that the job has now. ok is false if there
// is no prediction.
func (p *Predictor) Expect(v scheduler.View, policy scheduler.Policy, seq int32) (finish int64, ok bool) {
	if g, is := policy.(scheduler.Goal); is {
		if at, ok := g.Expect(v, seq); ok {
			return at, true
		}
	}
	return p.Finish(v, seq, Present(v, seq))
}

// Finish predicts when the job ends if it keeps the given slots, in milliseconds since the Unix
// epoch. Running tasks keep their slots even if fewer are given. ok is false if the job has not
// started or has ended, or has tasks left but no slots for them. ok is also false if nothing
// indicates the duration of its tasks: no profile, no finished task, and no progress.
func (p *Predictor) Finish(v scheduler.View, seq int32, slots [2]int32) (finish int64, ok bool) {
	j := v.Job(seq)
	if j == nil || j.State.Terminal() || j.State == job.Prep {
		return 0, false
	}
	left, ok := p.left(v, j, slots)
	if !ok || !(left < maxDuration) {
		return 0, false
	}
	return v.Now() + int64(math.Round(left)), true
}

// left returns the time that the job still needs, in milliseconds. It is the time until the last map
// ends plus the time for the reduces after that.
func (p *Predictor) left(v scheduler.View, j *scheduler.Job, slots [2]int32) (float64, bool) {
	profile := p.Learner.Profile(j.Seq).Complete()
	if profile.Map == (Phase{}) {
		p.buf = v.Running(j.Seq, job.Map, p.buf[:0])
		profile.Map = pace(v.Now(), p.buf)
	}
	maps, ok := p.mapsLeft(v, j, profile.Map, slots[job.Map])
	if !ok {
		return 0, false
	}
	if profile.Reduce == (Phase{}) && profile.First == (Phase{}) {
		profile.Reduce = p.guess(v, j, profile.Map)
	}
	reduces, ok := p.reducesLeft(v, j, &profile, slots[job.Reduce])
	return maps + reduces, ok
}

// work is the remaining work of a phase in milliseconds: the sum over its tasks, and the longest task.
type work struct{ sum, longest float64 }

func (w *work) add(n, avg, most float64) {
	if n > 0 {
		w.sum += float64(n * avg)
		w.longest = max(w.longest, most)
	}
}

// on returns the mean of two bounds for the time that the work takes. The lower bound is the sum
// divided by the number of slots. The upper bound is the lower bound or the longest task, whichever
// is longer. Work without slots never ends, and the result is +Inf or NaN.
func (w *work) on(slots float64) float64 {
	low := w.sum / slots
	return (max(low, w.longest) + low) / 2
}

// mapsLeft predicts the time until the last map ends, in milliseconds. It returns false if the
// duration f of a map is unknown.
func (p *Predictor) mapsLeft(v scheduler.View, j *scheduler.Job, f Phase, slots int32) (float64, bool) {
	waiting := j.Tasks[job.Map] - j.Finished[job.Map] - j.Failed[job.Map]
	if waiting <= 0 {
		return 0, true
	}
	if f == (Phase{}) {
		return 0, false
	}
	p.buf = v.Running(j.Seq, job.Map, p.buf[:0])
	var w work
	for _, a := range p.buf {
		rest := restOf(f, v.Now()-a.Start)
		w.add(1, rest, rest)
	}
	waiting = max(0, waiting-int32(len(p.buf)))
	w.add(float64(waiting), f.Avg, f.Max)
	slots = max(slots, min(int32(len(p.buf)), j.Tasks[job.Map]))
	return w.on(float64(min(slots, waiting+int32(len(p.buf))))), true
}

// restOf returns the expected remaining time of a task that has run for elapsed milliseconds. A task
// that is older than the average can end at any time from now until it is as old as the longest.
func restOf(f Phase, elapsed int64) float64 {
	t := float64(elapsed)
	if t < f.Avg {
		return f.Avg - t
	}
	return max(0, f.Max-t) / 2
}

// pace estimates the duration of a task from the progress of running tasks. It returns the zero Phase
// if there is no progress.
func pace(now int64, running []*scheduler.Attempt) Phase {
	const million = 1_000_000
	var t total
	for _, a := range running {
		if a.Progress > 0 && now > a.Start {
			t.add((now - a.Start) * million / int64(min(a.Progress, million)))
		}
	}
	return t.phase()
}

// guess estimates the duration of unmeasured reduces from their progress after the last map. Before
// that, or without progress, it assumes that they take as long as maps.
func (p *Predictor) guess(v scheduler.View, j *scheduler.Job, maps Phase) Phase {
	if j.Finished[job.Map]+j.Failed[job.Map] == j.Tasks[job.Map] {
		p.buf = v.Running(j.Seq, job.Reduce, p.buf[:0])
		if f := pace(v.Now(), p.buf); f != (Phase{}) {
			return f
		}
	}
	return maps
}

// reducesLeft predicts the time that the reduces need after the last map ends, in milliseconds.
func (p *Predictor) reducesLeft(v scheduler.View, j *scheduler.Job, f *Profile, slots int32) (float64, bool) {
	left := j.Tasks[job.Reduce] - j.Finished[job.Reduce] - j.Failed[job.Reduce]
	if left <= 0 {
		return 0, true
	}
	p.buf = v.Running(j.Seq, job.Reduce, p.buf[:0])
	var w work
	mapsDone := j.Finished[job.Map]+j.Failed[job.Map] == j.Tasks[job.Map]
	for _, a := range p.buf {
		rest := f.First.Avg + f.Reduce.Avg
		if mapsDone {
			rest = reduceRest(f, a, v.Now(), p.Learner.MapEnd(j.Seq))
		}
		w.add(1, rest, rest)
	}
	running := int32(len(p.buf))
	waiting := max(0, left-running)
	slots = max(slots, running)
	if !mapsDone { // reduces that start before the last map ends have a first shuffle
		early := min(waiting, max(0, slots-running))
		w.add(float64(early), f.First.Avg+f.Reduce.Avg, f.First.Max+f.Reduce.Max)
		waiting -= early
	}
	w.add(float64(waiting), f.Typical.Avg+f.Reduce.Avg, f.Typical.Max+f.Reduce.Max)
	return w.on(float64(min(slots, left))), true
}

// reduceRest returns the time that a running reduce still needs. All maps must be done.
func reduceRest(f *Profile, a *scheduler.Attempt, now, mapEnd int64) float64 {
	if a.SortDone > 0 {
		return restOf(f.Reduce, now-max(a.SortDone, mapEnd))
	}
	shuffle := f.Typical
	if a.Start < mapEnd {
		shuffle = f.First
	}
	return restOf(shuffle, now-max(a.Start, mapEnd)) + f.Reduce.Avg
}
