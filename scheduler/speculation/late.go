package speculation

import (
	"math"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// late is LATE, Longest Approximate Time to End. It considers tasks with a low progress rate. Those
// with the latest expected end are the first to get a second attempt, on trackers that are not slow.
// A cap limits the number of second attempts in the cluster.
type late struct{}

func (late) first(s *settings, started int64) int64 { return started + s.lag }

// twins returns the number of second attempts of all jobs, because the cap applies to the whole
// cluster.
func (late) twins(p *Policy, f *phase) int32 { return p.twins[f.typ] }

func (late) judge(p *Policy, v scheduler.View, f *phase) int64 {
	now := v.Now()
	f.limit = lateCap(v, f)
	threshold := p.slowRate(v, f)
	p.found = p.found[:0]
	for i := range f.running {
		a := f.only(v, &f.running[i])
		if a == nil || now-a.Start < max(1, f.set.lag) || !(rate(a, now) < threshold) {
			continue
		}
		p.found = append(p.found, found{index: a.ID.Index, urgency: timeLeft(a, now)})
	}
	p.keep(f)
	f.slow = f.slow[:0]
	if len(f.candidates) > 0 {
		f.slow = p.slowTrackers(v, f)
	}
	return now + f.set.interval
}

// lateCap returns the SpeculativeCap, a share of the cluster's slots of the phase's type. The cap is
// at least 1 and at least the number of slots of the largest tracker, because all tasks of that
// tracker might be slow.
func lateCap(v scheduler.View, f *phase) int32 {
	most := int32(1)
	for _, h := range v.Trackers() {
		most = max(most, v.Tracker(h).Slots[f.typ])
	}
	return max(most, int32(f.set.cap*float64(v.Cluster().Slots[f.typ])))
}

// rate returns the ProgressRate, which is the ProgressScore divided by the attempt's running time,
// in tasks per second.
func rate(a *scheduler.Attempt, now int64) float64 {
	return float64(a.Progress) / million * 1000 / float64(max(1, now-a.Start))
}

// timeLeft returns (1 - ProgressScore) / ProgressRate in milliseconds. Without progress, the result
// is larger than any other.
func timeLeft(a *scheduler.Attempt, now int64) int64 {
	elapsed := now - a.Start
	if a.Progress == 0 {
		return math.MaxInt64/2 + min(elapsed, math.MaxInt64/4)
	}
	return (million - int64(a.Progress)) * elapsed / int64(a.Progress)
}

// slowRate returns the SlowTaskThreshold, the rate below which a task of the phase is slow. It uses
// the rates of successful and running attempts, but ignores running ones that are younger than the lag.
func (p *Policy) slowRate(v scheduler.View, f *phase) float64 {
	p.rates = f.done.rates(p.rates[:0])
	for i := range f.running {
		t := &f.running[i]
		for k := range t.live {
			if a := v.Attempt(f.attempt(t, k)); a != nil && v.Now()-a.Start >= max(1, f.set.lag) {
				p.rates = append(p.rates, rate(a, v.Now()))
			}
		}
	}
	if f.set.byPercentile {
		return percentile(p.rates, f.set.percentile)
	}
	mean, std := meanAndDeviation(p.rates)
	return mean - float64(f.set.slowTask*std)
}

// slowTrackers returns the trackers that the SlowNodeThreshold classifies as slow.
func (p *Policy) slowTrackers(v scheduler.View, f *phase) []int32 {
	if f.set.byPercentile {
		return append(f.slow, p.work.slow(p, v, f.set.percentile)...)
	}
	return f.slowByDuration(p)
}

// slowByDuration returns the trackers whose mean duration of successful attempts is far above the
// mean of all trackers (JobInProgress.isSlowTracker).
func (f *phase) slowByDuration(p *Policy) []int32 {
	p.rates = p.rates[:0]
	for _, n := range f.nodes {
		p.rates = append(p.rates, float64(n.millis)/float64(n.count))
	}
	mean, std := meanAndDeviation(p.rates)
	slow := f.slow
	for i, n := range f.nodes {
		if p.rates[i]-mean > float64(f.set.slowNode*std) {
			slow = append(slow, n.tracker)
		}
	}
	return slow
}

// workOfNodes finds the trackers that have done little work for the running jobs. A tracker's work
// is the sum of the progress scores of its successful and running attempts in phases that allow
// speculation. A tracker without such attempts is never slow. The result is computed at most once
// per Tick.
type workOfNodes struct {
	at      int64   // time of the result, as View.Now
	handles []int32 // handles of the slow trackers
}

func (w *workOfNodes) slow(p *Policy, v scheduler.View, percent float64) []int32 {
	if w.at == v.Now() {
		return w.handles
	}
	w.at, w.handles = v.Now(), w.handles[:0]
	done := map[int32]int64{}
	for _, seq := range v.Jobs() {
		for t := range job.TaskType(2) {
			if f := p.phase(seq, t); f != nil {
				f.addWork(v, done)
			}
		}
	}
	p.rates = p.rates[:0]
	for _, h := range v.Trackers() {
		if done[h] > 0 {
			p.rates = append(p.rates, float64(done[h]))
		}
	}
	threshold := percentile(p.rates, percent)
	for _, h := range v.Trackers() {
		if n, has := done[h]; has && float64(n) < threshold {
			w.handles = append(w.handles, h)
		}
	}
	return w.handles
}

// addWork adds to done the work of each tracker for the phase.
func (f *phase) addWork(v scheduler.View, done map[int32]int64) {
	for _, n := range f.nodes {
		done[n.tracker] += n.count * million
	}
	for i := range f.running {
		t := &f.running[i]
		for k := range t.live {
			if a := v.Attempt(f.attempt(t, k)); a != nil {
				done[a.Tracker] += int64(a.Progress)
			}
		}
	}
}
