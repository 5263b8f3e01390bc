package pool

import "github.com/howdah/howdah/scheduler"

// The weight of a new job can be increased for a while (NewJobWeightBooster), so that small jobs
// end soon.

// boost marks the job as boosted if it is still new, and updates x.boosted.
func (x *Totals) boost(j *Job, now int64) {
	end := j.Submit + x.set.BoosterDuration
	if x.set.BoosterFactor == 1 || now >= end {
		return
	}
	j.boosted = true
	if x.boosted == 0 || end < x.boosted {
		x.boosted = end
	}
}

// endBoosts restores the weights of jobs that are no longer new.
func (x *Totals) endBoosts(v scheduler.View) {
	if x.boosted == 0 || v.Now() < x.boosted {
		return
	}
	x.boosted = 0
	for _, j := range x.queue.Items {
		if !j.boosted {
			continue
		}
		x.leave(j)
		j.boosted = false
		x.boost(j, v.Now())
		x.enter(j, v.Job(j.Seq))
	}
}
