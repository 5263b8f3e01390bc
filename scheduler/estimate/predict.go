package estimate

import (
	"math"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// Predictor tells when running jobs are expected to end, whatever policy schedules them: from what its Learner knows of the
// job's phases and the slots that work for the job. It is used by one goroutine.
type Predictor struct {
	Learner *Learner
	buf     []*scheduler.Attempt
}

// NewPredictor makes a Predictor; the Learner is fed by its owner.
func NewPredictor(l *Learner) *Predictor { return &Predictor{Learner: l} }

// Present gives the slots that a job may count on: those that it has. While tasks of a type wait and none runs, or the
// reduces wait for the maps, it is taken to get as many as the cluster has.
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

// Finish gives the time at which a running job is expected to end, in milliseconds since the epoch, if so many slots go on
// working for it. ok is false if the job does not run, or neither a profile, a finished task nor the progress of one tells how
// long its tasks take, or it has tasks left and no slot for them.
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

// left is the time that the job still needs: its maps, then what its reduces do after the last map.
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

// work is what is left of one phase: tasks with the time that they need altogether and that the longest of them needs.
type work struct{ sum, longest float64 }

func (w *work) add(n, avg, most float64) {
	if n > 0 {
		w.sum += float64(n * avg)
		w.longest = max(w.longest, most)
	}
}

// on is the mean of both bounds of n tasks on k slots, for tasks of which some have begun.
func (w *work) on(slots float64) float64 {
	low := w.sum / slots
	return (max(low, w.longest) + low) / 2
}

// mapsLeft predicts when the last map ends.
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
	if slots <= 0 {
		return 0, false
	}
	return w.on(float64(min(slots, waiting+int32(len(p.buf))))), true
}

// restOf is how long a task that has run for that long needs on average: once it is older than the average, it may be any of
// those between the average and the longest.
func restOf(f Phase, elapsed int64) float64 {
	t := float64(elapsed)
	if t < f.Avg {
		return f.Avg - t
	}
	return max(0, f.Max-t) / 2
}

// pace judges from the progress of running tasks how long one takes.
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

// guess stands for reduces of which nothing is known: their progress, else as long as a map.
func (p *Predictor) guess(v scheduler.View, j *scheduler.Job, maps Phase) Phase {
	if j.Running[job.Reduce] > 0 && j.Finished[job.Map]+j.Failed[job.Map] == j.Tasks[job.Map] {
		p.buf = v.Running(j.Seq, job.Reduce, p.buf[:0])
		if f := pace(v.Now(), p.buf); f != (Phase{}) {
			return f
		}
	}
	return maps
}

// reducesLeft predicts what the reduces need after the last map.
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
			rest = reduceRest(f, a, v.Now(), p.Learner.mapEnd(j.Seq))
		}
		w.add(1, rest, rest)
	}
	running := int32(len(p.buf))
	waiting := max(0, left-running)
	slots = max(slots, running)
	if slots <= 0 {
		return 0, false
	}
	if !mapsDone { // those that still start before the last map ends have a first shuffle
		early := min(waiting, max(0, slots-running))
		w.add(float64(early), f.First.Avg+f.Reduce.Avg, f.First.Max+f.Reduce.Max)
		waiting -= early
	}
	w.add(float64(waiting), f.Typical.Avg+f.Reduce.Avg, f.Typical.Max+f.Reduce.Max)
	return w.on(float64(min(slots, left))), true
}

// reduceRest is what a running reduce needs when all maps are done.
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
