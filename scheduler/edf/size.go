package edf

import (
	"math"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// size computes the fewest slots with which the job should meet its deadline (SIM section V-A). The
// job remains without a size under MaxEDF and if it has no deadline. It also remains without a size
// if its profile does not cover its tasks and the policy has not learned their durations. The size
// depends only on the View, so a rebuilt index has the same sizes.
func (p *Policy) size(v scheduler.View, x *entry) {
	x.sized, x.once = false, true
	j := v.Job(x.seq)
	if p.variant == maxEDF || x.deadline == math.MaxInt64 {
		return
	}
	given := p.learner.Given(x.seq)
	limit := v.Cluster().Slots
	switch {
	case given.Covers(j.Tasks) && !p.resize:
		x.sized = true
		x.slots = given.MinSlots(p.bound, j.Tasks, float64(x.deadline-x.submit), limit)
	case given.Covers(j.Tasks):
		x.once = false
		p.resized(x, j, limit)
	case p.learn:
		x.once = false
		if p.firstWaveDone(j, limit) {
			p.resized(x, j, limit)
		}
	}
}

// resized sizes the job for its remaining work as of the last task end. Between task ends, the size
// changes only if the cluster does.
func (p *Policy) resized(x *entry, j *scheduler.Job, limit [2]int32) {
	var left [2]int32
	for k := range left {
		left[k] = max(0, j.Tasks[k]-j.Finished[k]-j.Failed[k])
	}
	now := max(x.submit, p.learner.LastEnd(x.seq))
	known := p.learner.Profile(x.seq).Guess()
	x.sized = true
	x.slots = known.MinSlots(p.bound, left, float64(x.deadline-now), limit)
}

// firstWaveDone reports whether the policy has measured all maps of the job, or as many as the
// cluster runs concurrently. For a job without maps, it counts reduces.
func (p *Policy) firstWaveDone(j *scheduler.Job, limit [2]int32) bool {
	k := job.Map
	if j.Tasks[k] == 0 {
		k = job.Reduce
	}
	n := p.learner.Measured(j.Seq)[k]
	return n > 0 && n >= min(j.Tasks[k], limit[k])
}
