package capacity

// Only some jobs of a queue are active. Hadoop initializes a limited number of jobs
// (JobInitializationPoller) and schedules only those. An active job stays active.

// activate activates waiting jobs in order, within the limits. If again is set, as after a restart,
// it first activates jobs whose tasks have already run. It ignores the limits for these jobs, because
// they were active before.
func (q *queue) activate(again bool) {
	for _, x := range q.jobs {
		if again && x.began && !x.active {
			x.setActive(true)
		}
	}
	for _, x := range q.jobs {
		if q.active >= q.most {
			return
		}
		if !x.active && x.fits() {
			x.setActive(true)
		}
	}
}

// fits reports whether a waiting job may become active. A job that alone exceeds a limit was
// accepted under another configuration. It may become active when no other job of the queue is active
// (ActiveTasks), or no other job of the user (ActivePerUser).
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
	x.queue.active += d
	x.user.active += d
	x.queue.tasks += int64(d) * x.tasks
	x.user.tasks += int64(d) * x.tasks
	for l := range x.wants {
		x.setWants(l, active && x.open[l])
	}
}

// inherit takes over which jobs were active under the previous policy, and their missed offers.
func (q *queue) inherit(old *Policy) {
	for _, x := range q.jobs {
		if x.active {
			x.setActive(false)
		}
	}
	for _, x := range q.jobs {
		if o := old.jobs[x.seq]; o != nil {
			x.missed = o.missed
			if o.active {
				x.setActive(true)
			}
		}
	}
	q.activate(true)
}
