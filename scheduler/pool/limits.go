package pool

import "github.com/howdah/howdah/scheduler"

// recount determines which jobs may run within the limits of pools and users, in the order of
// priority and submission (FairScheduler.updateRunnability). Other jobs wait, but their running
// tasks continue.
func (x *Totals) recount(v scheduler.View) {
	if !x.set.Pools.LimitsJobs() {
		return
	}
	for _, j := range x.queue.Items {
		j.Pool.counted, j.user.counted = 0, 0
	}
	for _, j := range x.queue.Items {
		may := j.Pool.counted < j.Pool.MaxJobs && j.user.counted < j.user.limit
		if may {
			j.Pool.counted++
			j.user.counted++
		}
		if may != j.Runnable {
			x.leave(j)
			j.Runnable = may
			x.enter(j, v.Job(j.Seq))
		}
	}
}
