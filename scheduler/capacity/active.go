package capacity

import "slices"

// Only some jobs of a queue are active. Hadoop initializes a limited number of jobs
// (JobInitializationPoller) and schedules only those. An active job stays active.

// activate activates waiting jobs in order, within the limits. If again is set, as after a restart,
// it first activates jobs whose tasks have already run. It ignores the limits for these jobs, because
// they were active before.
func (q *queue) activate(again bool) {
	if again {
		for _, x := range slices.Clone(q.idle.Items) {
			if x.began {
				x.setActive(true)
			}
		}
	}
	for i := 0; i < len(q.idle.Items) && q.active < q.most; {
		if x := q.idle.Items[i]; x.fits() {
			x.setActive(true) // removes it from the list
		} else {
			i++
		}
	}
}

// fits reports whether the waiting job may become active. A job that was accepted under another
// configuration can exceed a limit on its own. If it exceeds ActiveTasks, it may become active
// while no other job of the queue is active. If it exceeds ActivePerUser, it may become active
// while no other job of its user is.
func (x *entry) fits() bool {
	q, u := x.queue, x.user
	return u.active < q.mostPerUser &&
		(q.active == 0 || q.tasks+x.tasks <= q.set.ActiveTasks) &&
		(u.active == 0 || u.tasks+x.tasks <= q.set.ActivePerUser)
}

func (x *entry) setActive(active bool) {
	d := int32(1)
	if !active {
		d = -1
	}
	x.active = active
	if active {
		x.queue.idle.Take(x)
	} else {
		x.queue.idle.Put(x)
	}
	x.queue.active += d
	x.user.active += d
	x.queue.tasks += int64(d) * x.tasks
	x.user.tasks += int64(d) * x.tasks
	for l := range x.wants {
		x.setWants(l, active && x.open[l])
	}
}

// inherit copies from the previous policy which jobs are active and how many offers each job has
// missed. Then it activates further jobs (see activate).
func (q *queue) inherit(old *Policy) {
	for _, x := range q.jobs.Items {
		if x.active {
			x.setActive(false)
		}
	}
	for _, x := range q.jobs.Items {
		if o := old.jobs.Get(x.seq); o != nil {
			x.missed = o.missed
			if o.active {
				x.setActive(true)
			}
		}
	}
	q.activate(true)
}
